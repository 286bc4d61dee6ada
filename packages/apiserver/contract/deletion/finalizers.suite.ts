import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { NOT_FOUND, refused } from '../refusal.ts';

const { http, namespace, watch } = await cluster();

const MERGE = 'application/merge-patch+json';
let configMaps = '';
beforeAll(async () => {
  configMaps = `/api/v1/namespaces/${await namespace()}/configmaps`;
});
let count = 0;

interface ConfigMap {
  metadata: { deletionTimestamp: string; resourceVersion: string };
}

/** Creates a ConfigMap with finalizers and deletes it. */
const terminating = async (...finalizers: string[]) => {
  const name = `a-${(count += 1)}`;
  const made = await http('POST', configMaps, { body: { metadata: { name, finalizers }, data: { k: 'v' } } });
  const path = `${configMaps}/${name}`;
  const { body } = await http('DELETE', path);
  return { name, path, made: made.body as ConfigMap, body: body as ConfigMap };
};
const patch = async (path: string, body: unknown) => await http('PATCH', path, { body, contentType: MERGE });
const setFinalizers = async (path: string, finalizers: string[] | null) =>
  await patch(path, { metadata: { finalizers } });

describe('an object with finalizers that is deleted', () => {
  it('exists until its last finalizer is removed', async () => {
    const { path } = await terminating('test.io/a', 'test.io/b');
    expect((await setFinalizers(path, ['test.io/b'])).body).toMatchObject({ metadata: { finalizers: ['test.io/b'] } });
    expect((await http('GET', path)).status).toBe(200);
    const last = await setFinalizers(path, null);
    expect(last).toMatchObject({ status: 200, body: { kind: 'ConfigMap', data: { k: 'v' } } });
    expect(last.body).not.toHaveProperty('metadata.finalizers');
    expect(await http('GET', path)).toMatchObject(NOT_FOUND);
  });

  it('reserves its name', async () => {
    const { name, path } = await terminating('test.io/a');
    const create = async () => await http('POST', configMaps, { body: { metadata: { name } } });
    expect(await create()).toMatchObject(refused(409, 'AlreadyExists'));
    await setFinalizers(path, null);
    expect((await create()).status).toBe(201);
  });

  it('is MODIFIED for watches until it is removed', async () => {
    const { name, path, made } = await terminating('test.io/a');
    await setFinalizers(path, null);
    const query = `watch=1&resourceVersion=${made.metadata.resourceVersion}&fieldSelector=metadata.name=${name}`;
    const events = await watch(`${configMaps}?${query}`, { until: ({ length }) => length === 2 });
    // The last stored state, which still has the finalizer.
    const object = { metadata: { finalizers: ['test.io/a'], deletionTimestamp: expect.any(String) as string } };
    expect(events).toMatchObject([
      { type: 'MODIFIED', object },
      { type: 'DELETED', object },
    ]);
  });
});
