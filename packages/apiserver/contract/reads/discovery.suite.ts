import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { CUSTOM_VERBS, DEFINITIONS, gadgets, SUBRESOURCE_VERBS, VERBS } from './discovery-scene.ts';

const { http } = await cluster();

interface ApiResource {
  name: string;
  [key: string]: unknown;
}

async function get(path: string, accept = 'application/json'): Promise<unknown> {
  const { status, body } = await http('GET', path, { accept });
  expect(status).toBe(200);
  return body;
}

async function resources(path: string, ...names: string[]): Promise<ApiResource[]> {
  const { resources: all } = (await get(path)) as { resources: ApiResource[] };
  return names.flatMap((name) => all.filter((resource) => resource.name === name));
}

const group = `d${randomBytes(4).toString('hex')}.example.com`;

beforeAll(async () => {
  expect((await http('POST', DEFINITIONS, { body: gadgets(group) })).status).toBe(201);
  await eventually(async () => {
    await get(`/apis/${group}/v1/gadgets`);
    expect(await resources(`/apis/${group}/v1`, 'gadgets')).toHaveLength(1);
  });
});
afterAll(async () => {
  await http('DELETE', `${DEFINITIONS}/gadgets.${group}`);
});

describe('the documents of discovery', () => {
  it('name the version of the core group', async () => {
    expect(await get('/api')).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [
        { clientCIDR: '0.0.0.0/0', serverAddress: expect.stringMatching(/^[\d.]+:\d+$/) as string },
      ],
    });
  });

  it('list the groups, those of custom resources last', async () => {
    const { kind, apiVersion, groups } = (await get('/apis')) as {
      kind: string;
      apiVersion: string;
      groups: { name: string }[];
    };
    expect({ kind, apiVersion }).toEqual({ kind: 'APIGroupList', apiVersion: 'v1' });
    const names = groups.map(({ name }) => name);
    const known = [
      'apiregistration.k8s.io',
      'apps',
      'authentication.k8s.io',
      'authorization.k8s.io',
      'rbac.authorization.k8s.io',
      'storage.k8s.io',
      'admissionregistration.k8s.io',
      'apiextensions.k8s.io',
      'coordination.k8s.io',
      'discovery.k8s.io',
    ];
    expect(names.filter((name) => known.includes(name))).toEqual(known);
    expect(names.indexOf('bmc.kubevirt.io')).toBeGreaterThan(names.indexOf('discovery.k8s.io'));
    expect(groups.find(({ name }) => name === 'apps')).toEqual({
      name: 'apps',
      versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
      preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
    });
  });

  it('describe a group, its most stable version first', async () => {
    const version = (name: string) => ({ groupVersion: `${group}/${name}`, version: name });
    expect(await get(`/apis/${group}`)).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: group,
      versions: [version('v1'), version('v1beta1'), version('v2alpha3')],
      preferredVersion: version('v1'),
    });
  });

  it('list the core resources', async () => {
    expect(await get('/api/v1')).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' });
    expect(await resources('/api/v1', 'configmaps', 'namespaces', 'pods', 'secrets')).toEqual([
      {
        name: 'configmaps',
        singularName: 'configmap',
        namespaced: true,
        kind: 'ConfigMap',
        verbs: VERBS,
        shortNames: ['cm'],
        storageVersionHash: 'qFsyl6wFWjQ=',
      },
      {
        name: 'namespaces',
        singularName: 'namespace',
        namespaced: false,
        kind: 'Namespace',
        verbs: VERBS.filter((verb) => verb !== 'deletecollection'),
        shortNames: ['ns'],
        storageVersionHash: 'Q3oi5N2YM8M=',
      },
      {
        name: 'pods',
        singularName: 'pod',
        namespaced: true,
        kind: 'Pod',
        verbs: VERBS,
        shortNames: ['po'],
        categories: ['all'],
        storageVersionHash: 'xPOwRZ+Yhw8=',
      },
      {
        name: 'secrets',
        singularName: 'secret',
        namespaced: true,
        kind: 'Secret',
        verbs: VERBS,
        storageVersionHash: 'S6u1pOWzb84=',
      },
    ]);
    expect(
      await resources('/api/v1', 'namespaces/finalize', 'namespaces/status', 'pods/log', 'serviceaccounts/token'),
    ).toEqual([
      { name: 'namespaces/finalize', singularName: '', namespaced: false, kind: 'Namespace', verbs: ['update'] },
      { name: 'namespaces/status', singularName: '', namespaced: false, kind: 'Namespace', verbs: SUBRESOURCE_VERBS },
      { name: 'pods/log', singularName: '', namespaced: true, kind: 'Pod', verbs: ['get'] },
      {
        name: 'serviceaccounts/token',
        singularName: '',
        namespaced: true,
        group: 'authentication.k8s.io',
        version: 'v1',
        kind: 'TokenRequest',
        verbs: ['create'],
      },
    ]);
  });

  it('list the resources of a built-in group', async () => {
    expect(await get('/apis/apps/v1')).toMatchObject({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'apps/v1',
    });
    expect(await resources('/apis/apps/v1', 'deployments', 'deployments/status')).toEqual([
      {
        name: 'deployments',
        singularName: 'deployment',
        namespaced: true,
        kind: 'Deployment',
        verbs: VERBS,
        shortNames: ['deploy'],
        categories: ['all'],
        storageVersionHash: '8aSe+NMegvE=',
      },
      { name: 'deployments/status', singularName: '', namespaced: true, kind: 'Deployment', verbs: SUBRESOURCE_VERBS },
    ]);
    expect(await resources('/apis/authorization.k8s.io/v1', 'selfsubjectaccessreviews')).toEqual([
      {
        name: 'selfsubjectaccessreviews',
        singularName: 'selfsubjectaccessreview',
        namespaced: false,
        kind: 'SelfSubjectAccessReview',
        verbs: ['create'],
      },
    ]);
  });

  it('list custom resources as their definitions name them', async () => {
    const { resources: all } = (await get(`/apis/${group}/v1`)) as { resources: ApiResource[] };
    expect(all).toEqual([
      {
        name: 'gadgets',
        singularName: 'gadget',
        namespaced: false,
        kind: 'Gadget',
        verbs: CUSTOM_VERBS,
        shortNames: ['gd', 'gdt'],
        categories: ['toys'],
        storageVersionHash: expect.stringMatching(/^[A-Za-z0-9+/]{11}=$/) as string,
      },
      { name: 'gadgets/status', singularName: '', namespaced: false, kind: 'Gadget', verbs: SUBRESOURCE_VERBS },
    ]);
    expect(await resources('/apis/bmc.kubevirt.io/v1beta1', 'virtualmachinebmcs', 'virtualmachinebmcs/status')).toEqual(
      [
        {
          name: 'virtualmachinebmcs',
          singularName: 'virtualmachinebmc',
          namespaced: true,
          kind: 'VirtualMachineBMC',
          verbs: CUSTOM_VERBS,
          shortNames: ['vmbmc', 'vmbmcs'],
          categories: ['groundcrew'],
          storageVersionHash: 'DGVywZfLC08=',
        },
        {
          name: 'virtualmachinebmcs/status',
          singularName: '',
          namespaced: true,
          kind: 'VirtualMachineBMC',
          verbs: SUBRESOURCE_VERBS,
        },
      ],
    );
    expect(await resources(`/apis/${group}/v1beta1`, 'gadgets', 'gadgets/status')).toHaveLength(1);
  });

  it.each(['v1alpha1', 'v9'])('know of no version that is not served (%s)', async (version) => {
    const { status, body } = await http('GET', `/apis/${group}/${version}`);
    expect({ status, body }).toEqual({ status: 404, body: '404 page not found\n' });
  });

  it('are there in YAML', async () => {
    const { headers, body } = await http('GET', '/apis/apps', { accept: 'application/yaml' });
    expect(headers['content-type']).toBe('application/yaml');
    expect(body).toMatch(
      /^apiVersion: v1\nkind: APIGroup\nname: apps\npreferredVersion:\n {2}groupVersion: apps\/v1\n/,
    );
  });
});
