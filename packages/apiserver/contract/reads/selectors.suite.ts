import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { BAD_REQUEST } from '../refusal.ts';

const { http, namespace } = await cluster();

let where = '';
beforeAll(async () => {
  where = await namespace();
  const event = (name: string, kind: string, of: string, more: object) => ({
    metadata: { name },
    involvedObject: { kind, name: of, namespace: where },
    ...more,
  });
  const containers = [{ name: 'c', image: 'i' }];
  const objects: [string, object][] = [
    ['secrets', { metadata: { name: 'web', labels: { app: 'web', tier: '1' } }, type: 'example.com/key' }],
    ['secrets', { metadata: { name: 'db', labels: { app: 'db', tier: '2' } } }],
    ['secrets', { metadata: { name: 'plain' } }],
    ['pods', { metadata: { name: 'one' }, spec: { nodeName: 'there', containers } }],
    ['pods', { metadata: { name: 'two' }, spec: { hostNetwork: true, containers } }],
    ['services', { metadata: { name: 'inner' }, spec: { ports: [{ port: 80 }] } }],
    ['services', { metadata: { name: 'outer' }, spec: { type: 'ExternalName', externalName: 'example.com' } }],
    ['events', event('first', 'Pod', 'one', { reason: 'Started', type: 'Normal', source: { component: 'kubelet' } })],
    ['events', event('second', 'Secret', 'web', { reason: 'Leaked', type: 'Warning', reportingComponent: 'guard' })],
  ];
  for (const [resource, body] of objects)
    expect((await http('POST', inNamespace(resource), { body })).status).toBe(201);
});

const inNamespace = (resource: string) => `/api/v1/namespaces/${where}/${resource}`;
const get = async (path: string, query: Record<string, string>) =>
  await http('GET', `${path}?${new URLSearchParams(query).toString()}`);
const select = async (path: string, query: Record<string, string>): Promise<string[]> => {
  const { status, body } = await get(path, query);
  expect(status).toBe(200);
  return (body as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
};

// selectors.test.ts has more of the syntax.
describe('a label selector', () => {
  it.each([
    ['app!=web', ['db', 'plain']],
    ['app in (web, db)', ['db', 'web']],
    ['app notin (web)', ['db', 'plain']],
    ['app,tier!=2', ['web']],
    ['', ['db', 'plain', 'web']],
  ])('%j selects %j', async (labelSelector, names) => {
    expect(await select(inNamespace('secrets'), { labelSelector })).toEqual(names);
  });

  it.each([
    'app in (web',
    'app in (web db)',
    'app,',
    '=web',
    'app web',
    '!app=web',
    '-bad',
    'a/b/c',
    'app=-bad-',
    'app>web',
  ])('%j is refused', async (labelSelector) => {
    expect(await get(inNamespace('secrets'), { labelSelector })).toMatchObject(BAD_REQUEST);
  });
});

describe('a field selector', () => {
  it.each([
    ['secrets', 'metadata.name!=web', ['db', 'plain']],
    ['secrets', 'metadata.name==web,metadata.name!=web', []],
    ['secrets', ',metadata.name=db,', ['db']],
    ['secrets', 'type=Opaque', ['db', 'plain']],
    ['pods', 'status.phase=Pending', ['one', 'two']],
    ['pods', 'spec.nodeName=there', ['one']],
    ['pods', 'spec.host=there', ['one']],
    ['pods', 'spec.nodeName=', ['two']],
    ['pods', 'spec.hostNetwork=true', ['two']],
    ['pods', 'spec.restartPolicy=Always,spec.schedulerName=default-scheduler,status.podIP=', ['one', 'two']],
    ['services', 'spec.type=ExternalName', ['outer']],
    ['services', 'spec.clusterIP=', ['outer']],
    ['events', 'involvedObject.kind=Pod,involvedObject.name=one', ['first']],
    ['events', 'reason=Leaked,type=Warning', ['second']],
    ['events', 'source=kubelet', ['first']],
    ['events', 'source=guard,reportingComponent=guard', ['second']],
  ])('of %s: %j selects %j', async (resource, fieldSelector, names) => {
    expect(await select(inNamespace(resource), { fieldSelector })).toEqual(names);
  });

  it('selects a namespace, and can be combined with labels', async () => {
    const fieldSelector = `metadata.namespace=${where},metadata.name=web`;
    expect(await select('/api/v1/secrets', { fieldSelector })).toEqual(['web']);
    const active = { fieldSelector: `metadata.name=${where},status.phase=Active` };
    expect(await select('/api/v1/namespaces', active)).toEqual([where]);
    const both = { labelSelector: 'app', fieldSelector: 'metadata.name!=web' };
    expect(await select(inNamespace('secrets'), both)).toEqual(['db']);
  });

  it.each([
    ['/api/v1/secrets', 'data=x'],
    ['/api/v1/pods', 'spec.foo=x'],
    ['/api/v1/events', 'message=x'],
    ['/api/v1/services', 'spec.ports=x'],
    ['/api/v1/configmaps', 'data.x=y'],
    ['/api/v1/configmaps', 'metadata.name'],
    ['/api/v1/configmaps', 'metadata.name=a\\b'],
    ['/api/v1/configmaps', 'metadata.name=a=b'],
    ['/api/v1/namespaces', 'metadata.namespace=x'],
    ['/apis/apps/v1/deployments', 'spec.replicas=x'],
    ['/apis/coordination.k8s.io/v1/leases', 'spec.holderIdentity=x'],
    ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions', 'spec.group=x'],
    ['/apis/bmc.kubevirt.io/v1beta1/virtualmachinebmcs', 'status.phase=x'],
  ])('of %s: %j is refused', async (path, fieldSelector) => {
    expect(await get(path, { fieldSelector })).toMatchObject(BAD_REQUEST);
  });
});
