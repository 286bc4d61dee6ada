import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';

const { http, namespace, watch } = await cluster();

const accept = (kind: string, version = 'v1') => `application/json;as=${kind};g=meta.k8s.io;v=${version}`;
const ONE = 'PartialObjectMetadata';
const MANY = 'PartialObjectMetadataList';

let secrets = '';
let bmcs = '';

beforeAll(async () => {
  const where = await namespace();
  secrets = `/api/v1/namespaces/${where}/secrets`;
  bmcs = `/apis/bmc.kubevirt.io/v1beta1/namespaces/${where}/virtualmachinebmcs`;
  for (const name of ['a', 'b']) {
    await http('POST', secrets, { body: { metadata: { name, labels: { l: name } }, stringData: { x: 'y' } } });
    const body = {
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata: { name },
      spec: { virtualMachineRef: { name: 'vm' } },
    };
    expect((await http('POST', bmcs, { body })).status).toBe(201);
  }
});

const paths = () => ({ 'built-in kinds': secrets, 'custom resources': bmcs });
const metadataOf = async (path: string) => ((await http('GET', path)).body as { metadata: object }).metadata;

describe.each(['built-in kinds', 'custom resources'] as const)('the metadata alone, of %s', (which) => {
  it.each(['v1', 'v1beta1'])('is had of one object (%s)', async (version) => {
    const path = `${paths()[which]}/a`;
    expect((await http('GET', path, { accept: accept(ONE, version) })).body).toEqual({
      kind: ONE,
      apiVersion: `meta.k8s.io/${version}`,
      metadata: await metadataOf(path),
    });
  });

  it.each(['v1', 'v1beta1'])('is had of a list (%s)', async (version) => {
    const path = paths()[which];
    const item = async (name: string) => ({
      kind: ONE,
      apiVersion: `meta.k8s.io/${version}`,
      metadata: await metadataOf(`${path}/${name}`),
    });
    expect((await http('GET', path, { accept: accept(MANY, version) })).body).toEqual({
      kind: MANY,
      apiVersion: `meta.k8s.io/${version}`,
      metadata: { resourceVersion: expect.any(String) as string },
      items: [await item('a'), await item('b')],
    });
  });

  it('is had of a list in pages', async () => {
    const first = await http('GET', `${paths()[which]}?limit=1`, { accept: accept(MANY) });
    expect(first.body).toMatchObject({
      metadata: { continue: expect.any(String) as string, remainingItemCount: 1 },
      items: [{ metadata: { name: 'a' } }],
    });
  });

  it('is had of a watch', async () => {
    const events = await watch(`${paths()[which]}?watch=true&allowWatchBookmarks=true`, {
      accept: accept(ONE),
      until: (seen) => seen.length === 3,
    });
    expect(events.map(({ type, object }) => [type, object.kind, object.metadata.name])).toEqual([
      ['ADDED', ONE, 'a'],
      ['ADDED', ONE, 'b'],
      ['BOOKMARK', ONE, undefined],
    ]);
    expect(events.every(({ object }) => !('data' in object) && !('spec' in object))).toBe(true);
  });

  it('is had of what a write made', async () => {
    const { body } = await http('PATCH', `${paths()[which]}/a`, {
      body: { metadata: { annotations: { seen: 'yes' } } },
      contentType: 'application/merge-patch+json',
      accept: accept(ONE),
    });
    expect(body).toMatchObject({ kind: ONE, metadata: { name: 'a', annotations: { seen: 'yes' } } });
    expect(body).not.toHaveProperty('data');
    expect(body).not.toHaveProperty('spec');
  });
});

describe('the metadata of a list as that of one object, or the other way round', () => {
  it.each([
    [() => secrets, ONE, 406],
    [() => `${secrets}/a`, MANY, 406],
    [() => bmcs, ONE, 406],
    [() => `${bmcs}/a`, MANY, 500],
  ])('is refused (%#)', async (path, kind, code) => {
    expect(await http('GET', path(), { accept: accept(kind) })).toMatchObject({
      status: code,
      body: { kind: 'Status', status: 'Failure', code },
    });
  });
});
