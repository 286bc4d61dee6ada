import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { CUSTOM_VERBS, DEFINITIONS, gadgets, SUBRESOURCE_VERBS, VERBS } from './discovery-scene.ts';

const { http, standIns } = await cluster();

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
/** What kubectl sends. */
const KUBECTL = `${AGGREGATED},application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json`;

interface GroupVersion {
  version: string;
  freshness: string;
  resources?: { resource: string; subresources?: { subresource: string }[]; [key: string]: unknown }[];
}

async function get(path: string, accept = 'application/json'): Promise<unknown> {
  const { status, body } = await http('GET', path, { accept });
  expect(status).toBe(200);
  return body;
}

async function aggregated(root: '/api' | '/apis', group?: string): Promise<GroupVersion[]> {
  const { items } = (await get(root, AGGREGATED)) as {
    items: { metadata: { name?: string }; versions: GroupVersion[] }[];
  };
  return items.find(({ metadata }) => metadata.name === group)?.versions ?? [];
}

const group = `d${randomBytes(4).toString('hex')}.example.com`;

beforeAll(async () => {
  expect((await http('POST', DEFINITIONS, { body: gadgets(group) })).status).toBe(201);
  await eventually(
    async () => {
      expect(await aggregated('/apis', group)).toHaveLength(3);
    },
    { timeout: 30_000 },
  );
});
afterAll(async () => {
  await http('DELETE', `${DEFINITIONS}/gadgets.${group}`);
});

describe('aggregated discovery', () => {
  it.each(['/api', '/apis'] as const)('is had of %s by its media type, and kept by its tag', async (root) => {
    const { status, headers, body } = await http('GET', root, { accept: KUBECTL });
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'content-type': AGGREGATED, vary: 'Accept', 'cache-control': 'public' });
    expect(body).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {} });
    const tag = String(headers['etag']);
    expect(tag).toMatch(/^"[0-9A-F]{128}"$/);
    const again = await http('GET', root, { accept: KUBECTL, headers: { 'if-none-match': tag } });
    // A type here would replace that of what the client has kept.
    const {
      status: code,
      body: none,
      headers: { 'content-type': type },
    } = again;
    expect({ code, none, type }).toEqual({ code: 304, none: undefined, type: undefined });
  });

  it('describes core resources', async () => {
    const [v1, ...more] = await aggregated('/api');
    expect(more).toEqual([]);
    expect(v1).toMatchObject({ version: 'v1', freshness: 'Current' });
    const kind = (name: string) => ({ group: '', version: '', kind: name });
    expect(v1?.resources?.find(({ resource }) => resource === 'namespaces')).toEqual({
      resource: 'namespaces',
      responseKind: kind('Namespace'),
      scope: 'Cluster',
      singularResource: 'namespace',
      verbs: VERBS.filter((verb) => verb !== 'deletecollection'),
      shortNames: ['ns'],
      subresources: [
        { subresource: 'finalize', responseKind: kind('Namespace'), verbs: ['update'] },
        { subresource: 'status', responseKind: kind('Namespace'), verbs: SUBRESOURCE_VERBS },
      ],
    });
    const pods = v1?.resources?.find(({ resource }) => resource === 'pods');
    expect(pods).toMatchObject({ shortNames: ['po'], categories: ['all'], scope: 'Namespaced' });
    expect(pods?.subresources?.filter(({ subresource }) => subresource === 'log')).toEqual([
      { subresource: 'log', responseKind: kind('Pod'), verbs: ['get'] },
    ]);
  });

  it('describes custom resources with their versions in order', async () => {
    const versions = await aggregated('/apis', group);
    expect(versions.map(({ version, freshness }) => [version, freshness])).toEqual([
      ['v1', 'Current'],
      ['v1beta1', 'Current'],
      ['v2alpha3', 'Current'],
    ]);
    const responseKind = { group, version: 'v1', kind: 'Gadget' };
    expect(versions[0]?.resources).toEqual([
      {
        resource: 'gadgets',
        responseKind,
        scope: 'Cluster',
        singularResource: 'gadget',
        verbs: CUSTOM_VERBS,
        shortNames: ['gd', 'gdt'],
        categories: ['toys'],
        subresources: [{ subresource: 'status', responseKind, verbs: SUBRESOURCE_VERBS }],
      },
    ]);
  });

  it('is not there for one group, nor in other versions alone', async () => {
    expect((await http('GET', '/apis/apps', { accept: AGGREGATED })).status).toBe(406);
    expect((await http('GET', '/apis', { accept: AGGREGATED.replace('v=v2', 'v=v2beta1') })).status).toBe(406);
    expect(await get('/apis', AGGREGATED.replace('v=v2', 'v=v9') + ',application/json')).toMatchObject({
      kind: 'APIGroupList',
    });
  });
});

describe('discovery of what another server serves', () => {
  it('has its group, and what it says of itself', async () => {
    await standIns({ parts: ['kubevirt'] });
    const name = 'subresources.kubevirt.io';
    const served = await eventually(
      async () => {
        const found = await aggregated('/apis', name);
        const v1 = found.find(({ version }) => version === 'v1');
        expect(v1?.freshness).toBe('Current');
        return v1;
      },
      { timeout: 30_000, interval: 500 },
    );
    const machines = served?.resources?.find(({ resource }) => resource === 'virtualmachines');
    expect(machines?.subresources?.map(({ subresource }) => subresource)).toEqual(
      expect.arrayContaining(['start', 'stop', 'restart']),
    );
    const { groups } = (await get('/apis')) as { groups: { name: string }[] };
    expect(groups.find((other) => other.name === name)).toMatchObject({
      preferredVersion: { groupVersion: `${name}/v1`, version: 'v1' },
    });
    expect(await get(`/apis/${name}/v1`)).toMatchObject({ kind: 'APIResourceList', groupVersion: `${name}/v1` });
  });
});
