import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { warningsOf } from '../../../../test/harness/scenes/webhook-scene.ts';

const { http, namespace } = await cluster();

let where = '';
beforeAll(async () => {
  where = await namespace();
});
let count = 0;
const collection = (plural: string) => `/api/v1/namespaces/${where}/${plural}`;
const MERGE = 'application/merge-patch+json';

/** Makes a ConfigMap with finalizers and has it deleted. */
const terminating = async (...finalizers: string[]) => {
  const name = `a-${(count += 1)}`;
  await http('POST', collection('configmaps'), { body: { metadata: { name, finalizers }, data: { k: 'v' } } });
  const path = `${collection('configmaps')}/${name}`;
  const { body } = await http('DELETE', path);
  return { name, path, body: body as { metadata: { deletionTimestamp: string; resourceVersion: string } } };
};
const patch = async (path: string, body: unknown) => await http('PATCH', path, { body, contentType: MERGE });
const setFinalizers = async (path: string, finalizers: string[] | null) =>
  await patch(path, { metadata: { finalizers } });

describe('an object that is being deleted', () => {
  it('is there until its last finalizer is gone', async () => {
    const { path } = await terminating('test.io/a', 'test.io/b');
    expect((await setFinalizers(path, ['test.io/b'])).body).toMatchObject({ metadata: { finalizers: ['test.io/b'] } });
    expect((await http('GET', path)).status).toBe(200);
    const last = await setFinalizers(path, null);
    expect(last.status).toBe(200);
    expect(last.body).toMatchObject({ kind: 'ConfigMap', data: { k: 'v' } });
    expect(last.body).not.toHaveProperty('metadata.finalizers');
    expect((await http('GET', path)).status).toBe(404);
  });

  it('goes with a PUT, a JSON patch or an apply that takes it off as well', async () => {
    const put = await terminating('test.io/a');
    const { kind, apiVersion, metadata } = put.body as unknown as {
      kind: string;
      apiVersion: string;
      metadata: object;
    };
    await http('PUT', put.path, { body: { kind, apiVersion, metadata: { ...metadata, finalizers: [] } } });
    expect((await http('GET', put.path)).status).toBe(404);
    const json = await terminating('test.io/a');
    const operations = [{ op: 'remove', path: '/metadata/finalizers/0' }];
    await http('PATCH', json.path, { body: operations, contentType: 'application/json-patch+json' });
    expect((await http('GET', json.path)).status).toBe(404);
  });

  it('can be changed meanwhile', async () => {
    const { path } = await terminating('test.io/a');
    expect(await patch(path, { data: { k: 'w' }, metadata: { labels: { a: 'b' } } })).toMatchObject({
      status: 200,
      body: { data: { k: 'w' }, metadata: { labels: { a: 'b' } } },
    });
    await setFinalizers(path, null);
  });

  it('gets no new finalizers', async () => {
    const { name, path } = await terminating('test.io/a');
    const problem =
      'no new finalizers can be added if the object is being deleted, found new finalizers []string{"test.io/b"}';
    expect(await setFinalizers(path, ['test.io/a', 'test.io/b'])).toMatchObject({
      status: 422,
      body: {
        reason: 'Invalid',
        message: `ConfigMap "${name}" is invalid: metadata.finalizers: Forbidden: ${problem}`,
        details: {
          name,
          kind: 'ConfigMap',
          causes: expect.arrayContaining([
            { reason: 'FieldValueForbidden', message: `Forbidden: ${problem}`, field: 'metadata.finalizers' },
          ]) as unknown,
        },
      },
    });
    await setFinalizers(path, null);
  });

  it('cannot be brought back', async () => {
    const { path, body } = await terminating('test.io/a');
    const { deletionTimestamp } = body.metadata;
    const answer = await patch(path, { metadata: { deletionTimestamp: null, deletionGracePeriodSeconds: null } });
    expect(answer).toMatchObject({
      status: 200,
      body: { metadata: { deletionTimestamp, deletionGracePeriodSeconds: 0 } },
    });
    await setFinalizers(path, null);
  });

  it('does not change with a second DELETE', async () => {
    const { path, body } = await terminating('test.io/a');
    const again = await http('DELETE', path);
    expect(again).toMatchObject({ status: 200 });
    expect(again.body).toEqual(body);
    await setFinalizers(path, null);
  });

  it('takes its name until it is gone', async () => {
    const { name, path } = await terminating('test.io/a');
    expect(await http('POST', collection('configmaps'), { body: { metadata: { name } } })).toMatchObject({
      status: 409,
      body: { reason: 'AlreadyExists', message: `object is being deleted: configmaps "${name}" already exists` },
    });
    await setFinalizers(path, null);
    expect((await http('POST', collection('configmaps'), { body: { metadata: { name } } })).status).toBe(201);
  });

  it('is deleted for those who watch when it goes, not before', async () => {
    const name = `a-${(count += 1)}`;
    const made = await http('POST', collection('configmaps'), {
      body: { metadata: { name, finalizers: ['test.io/a'] } },
    });
    const { resourceVersion } = (made.body as { metadata: { resourceVersion: string } }).metadata;
    const path = `${collection('configmaps')}/${name}`;
    await http('DELETE', path);
    await setFinalizers(path, null);
    const query = `watch=1&timeoutSeconds=1&resourceVersion=${resourceVersion}&fieldSelector=metadata.name=${name}`;
    const events = String((await http('GET', `${collection('configmaps')}?${query}`)).body)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; object: { metadata: Record<string, unknown> } });
    expect(events.map(({ type }) => type)).toEqual(['MODIFIED', 'DELETED']);
    for (const { object } of events) expect(object.metadata['deletionTimestamp']).toBeTypeOf('string');
    // The last state that was stored, not the one that was never to be.
    expect(events[1]?.object.metadata['finalizers']).toEqual(['test.io/a']);
  });

  it('can only be changed in the state that it is in', async () => {
    const { name, path, body } = await terminating('test.io/a');
    await patch(path, { data: { k: 'w' } });
    expect(await http('PUT', path, { body: { ...body, data: { k: 'x' } } })).toMatchObject({
      status: 409,
      body: {
        message: `Operation cannot be fulfilled on configmaps "${name}": the object has been modified; please apply your changes to the latest version and try again`,
      },
    });
    await setFinalizers(path, null);
  });
});

describe('finalizers', () => {
  it('are there for anybody to add and take, as long as nobody deletes', async () => {
    const name = `a-${(count += 1)}`;
    await http('POST', collection('configmaps'), { body: { metadata: { name } } });
    const path = `${collection('configmaps')}/${name}`;
    expect((await setFinalizers(path, ['test.io/a', 'test.io/b'])).body).toMatchObject({
      metadata: { finalizers: ['test.io/a', 'test.io/b'] },
    });
    await setFinalizers(path, null);
    expect((await http('GET', path)).status).toBe(200);
  });

  it('without a domain are refused, and not only warned of', async () => {
    const name = `a-${(count += 1)}`;
    const answer = await http('POST', collection('configmaps'), { body: { metadata: { name, finalizers: ['hold'] } } });
    // Of a built-in kind, whose finalizers have to be known or qualified.
    expect(answer).toMatchObject({ status: 422 });
    expect((answer.body as { message: string }).message).toContain('metadata.finalizers');
    expect(warningsOf(answer)).toEqual([]);
  });

  it('that are no names are refused', async () => {
    const answer = await http('POST', collection('configmaps'), {
      body: { metadata: { name: 'x', finalizers: ['not a name'] } },
    });
    expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
  });

  it('are not set by a create with a time of deletion', async () => {
    const name = `a-${(count += 1)}`;
    const metadata = { name, deletionTimestamp: '2020-01-01T00:00:00Z', deletionGracePeriodSeconds: 5 };
    const answer = await http('POST', collection('configmaps'), { body: { metadata } });
    expect(answer.status).toBe(201);
    expect(answer.body).not.toHaveProperty('metadata.deletionTimestamp');
  });
});
