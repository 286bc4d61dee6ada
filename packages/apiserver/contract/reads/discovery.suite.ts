import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';

const { http } = await cluster();

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const BETA = AGGREGATED.replace('v=v2', 'v=v2beta1');
/** The verbs of built-in kinds; custom resources have them in another order. */
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const CUSTOM_VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

interface Resource {
  name: string;
  [key: string]: unknown;
}

interface GroupVersion {
  version: string;
  freshness: string;
  resources?: { resource: string; subresources?: { subresource: string }[]; [key: string]: unknown }[];
}

const get = async (path: string, accept = 'application/json'): Promise<unknown> => {
  const { status, body } = await http('GET', path, { accept });
  expect(status).toBe(200);
  return body;
};
const resources = async (path: string): Promise<Resource[]> =>
  ((await get(path)) as { resources: Resource[] }).resources;
const aggregated = async (root: '/api' | '/apis', name?: string): Promise<GroupVersion[]> => {
  const list = (await get(root, AGGREGATED)) as { items: { metadata: { name?: string }; versions: GroupVersion[] }[] };
  return list.items.find(({ metadata }) => metadata.name === name)?.versions ?? [];
};

const group = `d${randomBytes(4).toString('hex')}.example.com`;
const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' };
const shown = { shortNames: ['gd', 'gdt'], categories: ['toys'] };

beforeAll(async () => {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const version = (name: string, more: object) => ({ name, served: true, storage: false, schema, ...more });
  const versions = [
    version('v1alpha1', { served: false }),
    version('v1beta1', {}),
    version('v1', { storage: true, subresources: { status: {} } }),
    version('v2alpha3', {}),
  ];
  const spec = { group, scope: 'Cluster', names: { ...names, ...shown }, versions };
  expect((await http('POST', DEFINITIONS, { body: { metadata: { name: `gadgets.${group}` }, spec } })).status).toBe(
    201,
  );
  await eventually(
    async () => {
      await get(`/apis/${group}/v1/gadgets`);
      expect(await resources(`/apis/${group}/v1`)).toHaveLength(2);
      expect(await aggregated('/apis', group)).toHaveLength(3);
    },
    { timeout: 30_000 },
  );
});
afterAll(async () => {
  await http('DELETE', `${DEFINITIONS}/gadgets.${group}`);
});

describe('discovery', () => {
  it('has the version of the core group', async () => {
    const serverAddress = expect.stringMatching(/^[\d.]+:\d+$/) as string;
    expect(await get('/api')).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
    });
  });

  it('has the groups, with those of custom resources last', async () => {
    const { groups, ...list } = (await get('/apis')) as { groups: { name: string }[] };
    expect(list).toEqual({ kind: 'APIGroupList', apiVersion: 'v1' });
    const found = groups.map(({ name }) => name);
    const known = ['apiregistration.k8s.io', 'apps', 'rbac.authorization.k8s.io', 'apiextensions.k8s.io'];
    expect(found).toEqual(expect.arrayContaining(known));
    expect(found.indexOf('bmc.kubevirt.io')).toBeGreaterThan(found.indexOf('apiextensions.k8s.io'));
  });

  it('has the versions of a group, with the most stable first', async () => {
    const [v1, ...others] = ['v1', 'v1beta1', 'v2alpha3'].map((version) => ({
      groupVersion: `${group}/${version}`,
      version,
    }));
    const versions = [v1, ...others];
    expect(await get(`/apis/${group}`)).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: group,
      versions,
      preferredVersion: v1,
    });
    const found = (await aggregated('/apis', group)).map(({ version, freshness }) => [version, freshness]);
    expect(found).toEqual(['v1', 'v1beta1', 'v2alpha3'].map((version) => [version, 'Current']));
  });

  const pods = { singularName: 'pod', namespaced: true, kind: 'Pod', verbs: VERBS, shortNames: ['po'] };
  const status = { singularName: '', namespaced: false, verbs: SUBRESOURCE_VERBS };
  const token = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', verbs: ['create'] };
  it.each<[string, string, object]>([
    ['/api/v1', 'pods', { ...pods, categories: ['all'], storageVersionHash: 'xPOwRZ+Yhw8=' }],
    ['/api/v1', 'pods/log', { singularName: '', namespaced: true, kind: 'Pod', verbs: ['get'] }],
    ['/api/v1', 'namespaces/finalize', { ...status, kind: 'Namespace', verbs: ['update'] }],
    ['/api/v1', 'namespaces/status', { ...status, kind: 'Namespace' }],
    ['/api/v1', 'serviceaccounts/token', { singularName: '', namespaced: true, ...token }],
    ['/apis/apps/v1', 'deployments/status', { ...status, namespaced: true, kind: 'Deployment' }],
    [
      '/apis/authorization.k8s.io/v1',
      'selfsubjectaccessreviews',
      {
        singularName: 'selfsubjectaccessreview',
        namespaced: false,
        kind: 'SelfSubjectAccessReview',
        verbs: ['create'],
      },
    ],
  ])('of %s describes %s', async (path, name, expected) => {
    expect((await resources(path)).find((resource) => resource.name === name)).toEqual({ name, ...expected });
  });

  it('of custom resources has the names and categories of the definition', async () => {
    const storageVersionHash = expect.stringMatching(/^[A-Za-z0-9+/]{11}=$/) as string;
    const gadget = { singularName: 'gadget', namespaced: false, kind: 'Gadget', verbs: CUSTOM_VERBS, ...shown };
    expect(await resources(`/apis/${group}/v1`)).toEqual([
      { name: 'gadgets', ...gadget, storageVersionHash },
      { name: 'gadgets/status', ...status, kind: 'Gadget' },
    ]);
    expect(await resources(`/apis/${group}/v1beta1`)).toHaveLength(1);
  });

  it.each(['v1alpha1', 'v9'])('does not have versions that are not served: %s', async (version) => {
    expect((await http('GET', `/apis/${group}/${version}`)).status).toBe(404);
  });
});

describe('aggregated discovery', () => {
  it.each(['/api', '/apis'] as const)('of %s has an ETag', async (root) => {
    const accept = `${AGGREGATED},${BETA},application/json`;
    const { status, headers, body } = await http('GET', root, { accept });
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'content-type': AGGREGATED, vary: 'Accept', 'cache-control': 'public' });
    expect(body).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
    const again = await http('GET', root, { accept, headers: { 'if-none-match': String(headers['etag']) } });
    // With a content type, client-go would replace the type of its cached body.
    expect([again.status, again.body, again.headers['content-type']]).toEqual([304, undefined, undefined]);
  });

  it('describes custom resources', async () => {
    const responseKind = { group, version: 'v1', kind: 'Gadget' };
    const subresources = [{ subresource: 'status', responseKind, verbs: SUBRESOURCE_VERBS }];
    expect((await aggregated('/apis', group))[0]?.resources).toEqual([
      {
        resource: 'gadgets',
        responseKind,
        scope: 'Cluster',
        singularResource: 'gadget',
        verbs: CUSTOM_VERBS,
        ...shown,
        subresources,
      },
    ]);
  });

  it('has only version v2', async () => {
    const accept = `${AGGREGATED.replace('v=v2', 'v=v9')},application/json`;
    expect(await get('/apis', accept)).toMatchObject({ kind: 'APIGroupList' });
  });
});

describe('the server', () => {
  it('has a version and a list of paths', async () => {
    const gitVersion = expect.stringMatching(/^v1\.34\.\d+/) as string;
    expect(await get('/version')).toMatchObject({ major: '1', minor: '34', gitVersion });
    expect(((await get('/')) as { paths: string[] }).paths).toEqual(
      expect.arrayContaining(['/api', '/api/v1', '/apis', '/openapi/v3', '/version']),
    );
  });

  it.each(['/healthz', '/livez', '/readyz'])('is healthy: %s', async (path) => {
    const { headers } = await http('GET', path);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    for (const more of ['', '/ping']) expect(await get(`${path}${more}`)).toBe('ok');
    expect((await http('GET', `${path}/nonsense`)).status).toBe(404);
  });
});
