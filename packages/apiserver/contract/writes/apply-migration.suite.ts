import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { APPLY, MERGE, owns, ownersOf, writeScene, type Body } from './write-scene.ts';

const harness = await cluster();
const { configMaps, make, get, patch, unique } = writeScene(harness);

const LAST = 'kubectl.kubernetes.io/last-applied-configuration';
const annotation = { [`f:${LAST}`]: {}, '.': {} };

/** What `kubectl apply` without --server-side makes. */
const clientSide = async (data: Record<string, string>) => {
  const name = unique();
  const object = configMaps.object(name, data, { annotations: {} });
  const last = `${JSON.stringify(object)}\n`;
  await make(
    configMaps.path(undefined, '?fieldManager=kubectl-client-side-apply'),
    configMaps.object(name, data, { annotations: { [LAST]: last } }),
  );
  const apply = async (manager: string, texts: Record<string, string>) =>
    await patch(APPLY, configMaps.path(name, `?fieldManager=${manager}`), configMaps.object(name, texts));
  return { name, apply };
};

describe('an object of kubectl’s client-side apply', () => {
  it('is fought over by other managers', async () => {
    const { apply } = await clientSide({ a: '1' });
    expect(await apply('other', { a: '2' })).toMatchObject({
      status: 409,
      body: {
        message: 'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.a',
      },
    });
  });

  it('is taken over by kubectl’s server-side apply, which keeps the record of it', async () => {
    const { name, apply } = await clientSide({ a: '1', b: '2' });
    const { status, body } = await apply('kubectl', { a: '7' });
    expect(status).toBe(200);
    expect((body as Body).data).toEqual({ a: '7', b: '2' });
    const { [LAST]: last = '' } = (body as Body).metadata['annotations'] as Record<string, string>;
    expect(JSON.parse(last)).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '7' } });
    expect(ownersOf(body)).toEqual([
      owns('kubectl', { 'f:data': { 'f:a': {} } }, { operation: 'Apply' }),
      owns('kubectl-client-side-apply', {
        'f:data': { '.': {}, 'f:b': {} },
        'f:metadata': { 'f:annotations': annotation },
      }),
    ]);
  });

  it('is not taken over where somebody else has changed it since', async () => {
    const { name, apply } = await clientSide({ a: '1' });
    await patch(MERGE, configMaps.path(name, '?fieldManager=editor'), { data: { a: '2' } });
    expect(await apply('kubectl', { a: '3' })).toMatchObject({
      status: 409,
      body: { message: 'Apply failed with 1 conflict: conflict with "editor" using v1: .data.a' },
    });
  });
});

describe('an object whose owners are not recorded', () => {
  const unrecorded = async (data: Record<string, string>) => {
    const name = unique();
    await make(configMaps.path(), configMaps.object(name, data));
    await patch(MERGE, configMaps.path(name), { metadata: { managedFields: [{}] } });
    expect((await get(configMaps.path(name))).metadata).not.toHaveProperty('managedFields');
    return name;
  };

  it('stays so with updates', async () => {
    const name = await unrecorded({ a: '1' });
    const { body } = await patch(MERGE, configMaps.path(name), { data: { b: '2' } });
    expect((body as Body).metadata).not.toHaveProperty('managedFields');
  });

  it('is owned by what was before from the first apply on', async () => {
    const name = await unrecorded({ a: '1' });
    const apply = async (data: Record<string, string>) =>
      await patch(APPLY, configMaps.path(name, '?fieldManager=me'), configMaps.object(name, data));
    expect(await apply({ a: '2' })).toMatchObject({
      status: 409,
      body: { message: 'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a' },
    });
    const { body } = await apply({ a: '1', z: '1' });
    expect(ownersOf(body)).toEqual([
      owns('me', { 'f:data': { 'f:a': {}, 'f:z': {} } }, { operation: 'Apply' }),
      owns('before-first-apply', { 'f:data': { '.': {}, 'f:a': {} } }),
    ]);
  });
});
