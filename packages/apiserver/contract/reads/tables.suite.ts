import { beforeAll, describe, expect, it } from 'vitest';
import { cluster, type WatchEvent } from '../../../../test/harness/index.ts';
import { BAD_REQUEST, NOT_FOUND } from '../refusal.ts';

const { http, namespace, watch } = await cluster();

const form = (kind: string, version = 'v1') => `application/json;as=${kind};v=${version};g=meta.k8s.io`;
const KUBECTL = `${form('Table')},${form('Table', 'v1beta1')},application/json`;
const METADATA = 'PartialObjectMetadata';

/** meta.k8s.io Table. */
interface Table {
  apiVersion: string;
  metadata: { resourceVersion: string };
  columnDefinitions: { name: string; type: string; format: string; priority: number }[] | null;
  rows: { cells: unknown[]; object: object | null }[];
}

let where = '';
const inNamespace = (resource: string) => `/api/v1/namespaces/${where}/${resource}`;
const BMCS = '/apis/bmc.kubevirt.io/v1beta1';
beforeAll(async () => {
  where = await namespace();
});

const table = async (path: string, accept = KUBECTL): Promise<Table> => {
  const { status, body, headers } = await http('GET', path, { accept });
  expect([status, headers['content-type']]).toEqual([200, 'application/json']);
  return body as Table;
};
const create = async (
  path: string,
  body: { metadata: { name: string }; [key: string]: unknown },
  status?: object,
): Promise<void> => {
  expect((await http('POST', path, { body })).status).toBe(201);
  if (status === undefined) return;
  const options = { body: { status }, contentType: 'application/merge-patch+json' };
  expect((await http('PATCH', `${path}/${body.metadata.name}/status`, options)).status).toBe(200);
};
/** The names of the columns; those of `kubectl get -o wide` in parentheses. */
const columns = ({ columnDefinitions }: Table): string =>
  (columnDefinitions ?? []).map(({ name, priority }) => (priority === 0 ? name : `(${name})`)).join(', ');
/** The cells of each row, with AGE in place of each age. */
const cells = ({ rows }: Table): unknown[][] =>
  rows.map((row) =>
    row.cells.map((cell) => (typeof cell === 'string' && /^\d+[sm](\d+s)?$/.test(cell) ? 'AGE' : cell)),
  );

// The unit tests of tables/ have more states of Pods, nodes and workloads.
describe('the table of', () => {
  it('Secrets has columns, cells and the metadata of the objects', async () => {
    await create(inNamespace('secrets'), { metadata: { name: 'one' }, stringData: { a: '1' } });
    const { body } = await http('GET', `${inNamespace('secrets')}/one`);
    const { metadata } = body as { metadata: object };
    const found = await table(inNamespace('secrets'));
    const column = (name: string, format = '') => ({ name, type: 'string', format, priority: 0 });
    const object = { kind: METADATA, apiVersion: 'meta.k8s.io/v1', metadata };
    expect(found).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      columnDefinitions: [column('Name', 'name'), column('Type'), column('Data'), column('Age')],
      rows: [{ object }],
    });
    expect(cells(found)).toEqual([['one', 'Opaque', 1, 'AGE']]);
  });

  it('Pods has the state of their containers', async () => {
    const spec = { containers: ['c', 'd'].map((name) => ({ name, image: 'i' })), nodeName: 'there' };
    const container = (name: string, more: object) => ({
      name,
      image: 'i',
      imageID: '',
      ready: false,
      restartCount: 0,
      ...more,
    });
    const finishedAt = new Date(Date.now() - 300_000).toISOString().replace(/\.\d+/, '');
    const up = container('c', { ready: true, state: { running: {} } });
    const crashed = container('d', {
      restartCount: 2,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode: 1, finishedAt } },
    });
    const status = { phase: 'Running', podIP: '127.64.0.9', podIPs: [{ ip: '127.64.0.9' }] };
    await create(inNamespace('pods'), { metadata: { name: 'new' }, spec });
    await create(
      inNamespace('pods'),
      { metadata: { name: 'up' }, spec },
      {
        ...status,
        containerStatuses: [up, crashed],
      },
    );
    const found = await table(inNamespace('pods'));
    expect(columns(found)).toBe(
      'Name, Ready, Status, Restarts, Age, (IP), (Node), (Nominated Node), (Readiness Gates)',
    );
    const restarts = expect.stringMatching(/^2 \(5m\d*s? ago\)$/) as unknown;
    expect(cells(found)).toEqual([
      ['new', '0/2', 'Pending', '0', 'AGE', '<none>', 'there', '<none>', '<none>'],
      ['up', '1/2', 'CrashLoopBackOff', restarts, 'AGE', '127.64.0.9', 'there', '<none>', '<none>'],
    ]);
  });

  it('Services has their addresses and ports', async () => {
    const make = async (name: string, spec: object) => {
      await create(inNamespace('services'), { metadata: { name }, spec });
    };
    const ports = [
      { name: 'ipmi', port: 623, protocol: 'UDP' },
      { name: 'web', port: 443 },
    ];
    await make('balanced', { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports });
    await make('headless', {
      clusterIP: 'None',
      selector: { b: '2', a: '1' },
      externalIPs: ['192.0.2.1', '192.0.2.2'],
    });
    await make('outer', { type: 'ExternalName', externalName: 'example.com' });
    const found = await table(inNamespace('services'));
    expect(columns(found)).toBe('Name, Type, Cluster-IP, External-IP, Port(s), Age, (Selector)');
    const address = expect.stringMatching(/^127\.96\./) as unknown;
    expect(cells(found)).toEqual([
      ['balanced', 'LoadBalancer', address, '<pending>', '623/UDP,443/TCP', 'AGE', '<none>'],
      ['headless', 'ClusterIP', 'None', '192.0.2.1,192.0.2.2', '<none>', 'AGE', 'a=1,b=2'],
      ['outer', 'ExternalName', '<none>', 'example.com', '<none>', 'AGE', '<none>'],
    ]);
  });

  it('Events has their object and source', async () => {
    const before = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString().replace(/\.\d+/, '');
    await create(inNamespace('events'), {
      metadata: { name: 'counted' },
      involvedObject: { kind: 'Pod', name: 'web', namespace: where, fieldPath: 'spec.containers{c}' },
      type: 'Normal',
      reason: 'Pulled',
      message: ' it is there\n',
      source: { component: 'kubelet', host: 'node-1' },
      firstTimestamp: before(30),
      lastTimestamp: before(20),
      count: 3,
    });
    const found = await table(`${inNamespace('events')}/counted`);
    expect(columns(found)).toBe(
      'Last Seen, Type, Reason, Object, (Subobject), (Source), Message, (First Seen), (Count), (Name)',
    );
    const pod = ['pod/web', 'spec.containers{c}', 'kubelet, node-1'];
    expect(found.rows[0]?.cells).toEqual(['20m', 'Normal', 'Pulled', ...pod, 'it is there', '30m', 3, 'counted']);
  });

  it('Deployments has their replicas and selector', async () => {
    const labels = { b: '2', a: '1' };
    const matchExpressions = [{ key: 'c', operator: 'In', values: ['y', 'x'] }];
    const containers = ['c', 'd'].map((name) => ({ name, image: 'i' }));
    const template = { metadata: { labels: { ...labels, c: 'x' } }, spec: { containers } };
    const spec = { replicas: 2, selector: { matchLabels: labels, matchExpressions }, template };
    const path = `/apis/apps/v1/namespaces/${where}/deployments`;
    const status = { replicas: 2, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
    await create(path, { metadata: { name: 'one' }, spec }, status);
    const found = await table(path);
    expect(columns(found)).toBe('Name, Ready, Up-to-date, Available, Age, (Containers), (Images), (Selector)');
    expect(cells(found)).toEqual([['one', '1/2', 1, 1, 'AGE', 'c,d', 'i,i', 'a=1,b=2,c in (x,y)']]);
  });

  it.each([
    ['/api/v1/configmaps', 'Data, Age'],
    ['/api/v1/namespaces', 'Status, Age'],
    [
      '/api/v1/nodes',
      'Status, Roles, Age, Version, (Internal-IP), (External-IP), (OS-Image), (Kernel-Version), (Container-Runtime)',
    ],
    [
      '/api/v1/persistentvolumeclaims',
      'Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age, (VolumeMode)',
    ],
    ['/api/v1/serviceaccounts', 'Secrets, Age'],
    ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions', 'Created At'],
    ['/apis/apiregistration.k8s.io/v1/apiservices', 'Service, Available, Age'],
    ['/apis/apps/v1/replicasets', 'Desired, Current, Ready, Age, (Containers), (Images), (Selector)'],
    ['/apis/apps/v1/statefulsets', 'Ready, Age, (Containers), (Images)'],
    ['/apis/coordination.k8s.io/v1/leases', 'Holder, Age'],
    ['/apis/discovery.k8s.io/v1/endpointslices', 'AddressType, Ports, Endpoints, Age'],
    ['/apis/policy/v1/poddisruptionbudgets', 'Min Available, Max Unavailable, Allowed Disruptions, Age'],
    [
      '/apis/storage.k8s.io/v1/storageclasses',
      'Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age',
    ],
    ['/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', 'Role, Age, (Users), (Groups), (ServiceAccounts)'],
    ['/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', 'Webhooks, Age'],
  ])('%s has the columns %s', async (path, expected) => {
    expect(columns(await table(path))).toBe(`Name, ${expected}`);
  });
});

describe('a table', () => {
  let path = '';
  beforeAll(async () => {
    where = await namespace();
    path = inNamespace('secrets');
    for (const name of ['a', 'b']) await create(path, { metadata: { name }, stringData: { k: '1' } });
  });

  it('contains the objects as includeObject says', async () => {
    const objects = async (include: string) => (await table(`${path}/a?includeObject=${include}`)).rows[0]?.object;
    expect(await objects('None')).toBeNull();
    for (const include of ['', 'Metadata']) expect(await objects(include)).toMatchObject({ kind: METADATA });
    expect(await objects('Object')).toMatchObject({ kind: 'Secret', apiVersion: 'v1', data: { k: 'MQ==' } });
    expect(await http('GET', `${path}?includeObject=All`, { accept: KUBECTL })).toMatchObject(BAD_REQUEST);
  });

  it('can have a limit', async () => {
    const found = await table(`${path}?limit=1`);
    expect(found.rows).toHaveLength(1);
    expect(found.metadata).toMatchObject({ continue: expect.any(String) as string, remainingItemCount: 1 });
  });

  it('is the answer to a write, but a Status is the answer to a refusal and a deletion', async () => {
    const made = await http('POST', path, { body: { metadata: { name: 'made' } }, accept: KUBECTL });
    expect(cells(made.body as Table)).toEqual([['made', 'Opaque', 0, 'AGE']]);
    const gone = await http('DELETE', `${path}/made`, { accept: KUBECTL });
    expect(gone.body).toMatchObject({ kind: 'Status', status: 'Success' });
    expect(await http('GET', `${path}/made`, { accept: KUBECTL })).toMatchObject(NOT_FOUND);
  });

  it('is the object of watch events, with columns in the first event only', async () => {
    const { resourceVersion } = (await table(path)).metadata;
    await create(path, { metadata: { name: 'watched' } });
    await http('DELETE', `${path}/watched`);
    const query = `watch=true&resourceVersion=${resourceVersion}`;
    const events = await watch(`${path}?${query}`, { accept: KUBECTL, until: ({ length }) => length === 2 });
    const [added, deleted] = events.map(({ object }) => object as unknown as Table);
    expect([added?.columnDefinitions?.length, deleted?.columnDefinitions]).toEqual([4, null]);
    expect(cells(deleted as Table)).toEqual([['watched', 'Opaque', 0, 'AGE']]);
    expect(deleted?.rows[0]?.object).toMatchObject({ kind: METADATA, metadata: { name: 'watched' } });
  });

  it('is the object of bookmarks', async () => {
    const query = 'watch=true&allowWatchBookmarks=true&fieldSelector=metadata.name%3Da';
    const events = await watch(`${path}?${query}`, { accept: KUBECTL, until: ({ length }) => length === 2 });
    expect(events[1]).toMatchObject({ type: 'BOOKMARK', object: { kind: 'Table', apiVersion: 'meta.k8s.io/v1' } });
  });
});

describe.each([
  ['built-in kinds', () => inNamespace('secrets'), (name: string) => ({ metadata: { name }, stringData: { x: 'y' } })],
  [
    'custom resources',
    () => `${BMCS}/namespaces/${where}/virtualmachinebmcs`,
    (name: string) => ({
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata: { name },
      spec: { virtualMachineRef: { name: 'vm' } },
    }),
  ],
])('the metadata of %s', (_what, pathOf, objectOf) => {
  let path = '';
  beforeAll(async () => {
    where = await namespace();
    path = pathOf();
    for (const name of ['a', 'b']) await create(path, objectOf(name));
  });
  const withoutContent = (object: object) => {
    for (const key of ['data', 'spec']) expect(object).not.toHaveProperty(key);
  };

  it('can be read alone', async () => {
    const { metadata } = (await http('GET', `${path}/a`)).body as { metadata: object };
    const one = { kind: METADATA, apiVersion: 'meta.k8s.io/v1', metadata };
    expect((await http('GET', `${path}/a`, { accept: form(METADATA) })).body).toEqual(one);
    const list = await http('GET', `${path}?limit=1`, { accept: form(`${METADATA}List`) });
    expect(list.body).toMatchObject({ kind: `${METADATA}List`, metadata: { remainingItemCount: 1 }, items: [one] });
  });

  it('can be watched alone', async () => {
    const query = 'watch=true&allowWatchBookmarks=true';
    const options = { accept: form(METADATA), until: ({ length }: WatchEvent[]) => length === 3 };
    const events = await watch(`${path}?${query}`, options);
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'BOOKMARK']);
    for (const { object } of events) {
      expect(object.kind).toBe(METADATA);
      withoutContent(object);
    }
  });

  it('can be the answer to a write', async () => {
    const options = { contentType: 'application/merge-patch+json', accept: form(METADATA) };
    const body = { metadata: { annotations: { seen: 'yes' } } };
    const answer = await http('PATCH', `${path}/a`, { body, ...options });
    expect(answer.body).toMatchObject({ kind: METADATA, ...body });
    withoutContent(answer.body as object);
  });
});
