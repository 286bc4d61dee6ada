import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';

const { http, namespace } = await cluster();

const LONG = 'x'.repeat(64);

let where = '';

beforeAll(async () => {
  where = await namespace();
  const objects: [string, object][] = [
    ['secrets', { metadata: { name: 'web', labels: { app: 'web', tier: '1' } }, type: 'example.com/key' }],
    ['secrets', { metadata: { name: 'db', labels: { app: 'db', tier: '2' } } }],
    ['secrets', { metadata: { name: 'plain' } }],
    ['pods', { metadata: { name: 'one' }, spec: { nodeName: 'there', containers: [{ name: 'c', image: 'i' }] } }],
    ['pods', { metadata: { name: 'two' }, spec: { hostNetwork: true, containers: [{ name: 'c', image: 'i' }] } }],
    ['services', { metadata: { name: 'inner' }, spec: { ports: [{ port: 80 }] } }],
    ['services', { metadata: { name: 'outer' }, spec: { type: 'ExternalName', externalName: 'example.com' } }],
    ['events', event('first', 'Pod', 'one', { reason: 'Started', type: 'Normal', source: { component: 'kubelet' } })],
    ['events', event('second', 'Secret', 'web', { reason: 'Leaked', type: 'Warning', reportingComponent: 'guard' })],
  ];
  for (const [resource, body] of objects) {
    const { status } = await http('POST', `/api/v1/namespaces/${where}/${resource}`, { body });
    expect(status).toBe(201);
  }
});

function event(name: string, kind: string, of: string, more: object): object {
  return { metadata: { name }, involvedObject: { kind, name: of, namespace: where }, message: 'it is so', ...more };
}

/** The names that a list with the query has, or the refusal's message. */
async function select(path: string, query: Record<string, string>): Promise<string[] | string> {
  const { status, body } = await http('GET', `${path}?${new URLSearchParams(query).toString()}`);
  if (status === 200) {
    const { items } = body as { items: { metadata: { name: string } }[] };
    return items.map(({ metadata }) => metadata.name);
  }
  expect({ status, body }).toMatchObject({
    status: 400,
    body: { kind: 'Status', status: 'Failure', reason: 'BadRequest', code: 400 },
  });
  return (body as { message: string }).message;
}

const inNamespace = (resource: string) => `/api/v1/namespaces/${where}/${resource}`;

describe('a list by labels', () => {
  it.each([
    ['app=web', ['web']],
    ['app==web', ['web']],
    ['app!=web', ['db', 'plain']],
    ['app in (web, db)', ['db', 'web']],
    ['app in (web,)', ['web']],
    ['app notin (web)', ['db', 'plain']],
    ['app', ['db', 'web']],
    ['!app', ['plain']],
    ['tier>1', ['db']],
    ['tier<2', ['web']],
    ['app,tier!=2', ['web']],
    ['app=', []],
    [' app = web ', ['web']],
    ['in in (in)', []],
    ['', ['db', 'plain', 'web']],
  ])('%j has %j', async (labelSelector, names) => {
    expect(await select(inNamespace('secrets'), { labelSelector })).toEqual(names);
  });

  it.each([
    'app in (web',
    'app in web',
    'app in (web db)',
    'app in ((web)',
    'app,',
    ',app',
    '=web',
    'app web',
    'app=web db',
    'app===web',
    '!app=web',
    '!!app',
    '-bad',
    'a/b/c',
    'Up.io/x',
    LONG,
    'app=-bad-',
    'app in (ok,-bad)',
    `app=${LONG}`,
    'app>web',
  ])('%j is refused', async (labelSelector) => {
    expect(await select(inNamespace('secrets'), { labelSelector })).toBeTypeOf('string');
  });
});

describe('a list by fields', () => {
  it.each([
    ['secrets', 'metadata.name=web', ['web']],
    ['secrets', 'metadata.name!=web', ['db', 'plain']],
    ['secrets', 'metadata.name==web,metadata.name!=web', []],
    ['secrets', 'metadata.namespace=elsewhere', []],
    ['secrets', 'metadata.name=a\\,b', []],
    ['secrets', ',metadata.name=db,', ['db']],
    ['secrets', 'type=Opaque', ['db', 'plain']],
    ['secrets', 'type=example.com/key', ['web']],
    ['pods', 'status.phase=Pending', ['one', 'two']],
    ['pods', 'status.phase=Running', []],
    ['pods', 'spec.nodeName=there', ['one']],
    ['pods', 'spec.host=there', ['one']],
    ['pods', 'spec.nodeName=', ['two']],
    ['pods', 'spec.hostNetwork=true', ['two']],
    ['pods', 'spec.restartPolicy=Always,spec.schedulerName=default-scheduler,status.podIP=', ['one', 'two']],
    ['pods', 'status.podIPs=127.64.0.1', []],
    ['services', 'spec.type=ExternalName', ['outer']],
    ['services', 'spec.clusterIP=', ['outer']],
    ['events', 'involvedObject.kind=Pod,involvedObject.name=one', ['first']],
    // kube-apiserver's own allocators may tell of the Services.
    ['events', 'involvedObject.kind!=Pod,involvedObject.kind!=Service', ['second']],
    ['events', 'reason=Leaked,type=Warning', ['second']],
    ['events', 'source=kubelet', ['first']],
    ['events', 'source=guard,reportingComponent=guard', ['second']],
  ])('of %s with %j has %j', async (resource, fieldSelector, names) => {
    expect(await select(inNamespace(resource), { fieldSelector })).toEqual(names);
  });

  it('of all namespaces can name one', async () => {
    const fieldSelector = `metadata.namespace=${where},metadata.name=web`;
    expect(await select('/api/v1/secrets', { fieldSelector })).toEqual(['web']);
    expect(await select('/api/v1/namespaces', { fieldSelector: `metadata.name=${where},status.phase=Active` })).toEqual(
      [where],
    );
  });

  it('goes with labels', async () => {
    const both = { labelSelector: 'app', fieldSelector: 'metadata.name!=web' };
    expect(await select(inNamespace('secrets'), both)).toEqual(['db']);
  });

  const unknown = (field: string) => `field label not supported: ${field}`;
  const onlyNames = (field: string) =>
    `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;

  it.each([
    ['secrets', 'data=x', unknown('data')],
    ['pods', 'spec.foo=x', unknown('spec.foo')],
    ['events', 'message=x', unknown('message')],
    ['services', 'spec.ports=x', unknown('spec.ports')],
    ['configmaps', 'data.x=y', onlyNames('data.x')],
    ['serviceaccounts', 'secrets=y', onlyNames('secrets')],
    ['configmaps', 'z=a,b=a', onlyNames('b')],
    ['configmaps', 'metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ['configmaps', 'metadata.name=a\\', 'invalid field selector: invalid escape sequence: \\'],
    ['configmaps', 'metadata.name=a\\b', 'invalid field selector: invalid escape sequence: \\b'],
    ['configmaps', 'metadata.name=a=b', 'invalid field selector: unescaped character in value: 61'],
  ])('of %s with %j is refused', async (resource, fieldSelector, message) => {
    expect(await select(inNamespace(resource), { fieldSelector })).toBe(message);
  });

  it.each([
    ['/api/v1/namespaces', 'metadata.namespace', unknown('metadata.namespace')],
    ['/api/v1/nodes', 'spec.podCIDR', unknown('spec.podCIDR')],
    ['/apis/apps/v1/deployments', 'spec.replicas', onlyNames('spec.replicas')],
    ['/apis/apps/v1/replicasets', 'status.replicas', onlyNames('status.replicas')],
    ['/apis/coordination.k8s.io/v1/leases', 'spec.holderIdentity', onlyNames('spec.holderIdentity')],
    ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions', 'spec.group', onlyNames('spec.group')],
    ['/apis/bmc.kubevirt.io/v1beta1/virtualmachinebmcs', 'status.phase', unknown('status.phase')],
  ])('of %s by %s is refused', async (path, field, message) => {
    expect(await select(path, { fieldSelector: `${field}=x` })).toBe(message);
  });
});
