import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { cells, columns, tableScene } from './table-scene.ts';

const { http, namespace } = await cluster();
const { table, create } = tableScene(http);

let where = '';

beforeAll(async () => {
  where = await namespace();
});

const inNamespace = (resource: string) => `/api/v1/namespaces/${where}/${resource}`;

describe('the table of', () => {
  it('ConfigMaps', async () => {
    await create(inNamespace('configmaps'), { metadata: { name: 'one' }, data: { a: '1' }, binaryData: { b: 'AA==' } });
    const found = await table(`${inNamespace('configmaps')}/one`);
    expect(columns(found)).toEqual(['Name string/name', 'Data string', 'Age string']);
    expect(cells(found)).toEqual([['one', 2, 'AGE']]);
  });

  it('Secrets, with all that there is to a table', async () => {
    await create(inNamespace('secrets'), { metadata: { name: 'one' }, stringData: { a: '1' } });
    const found = await table(inNamespace('secrets'));
    const { body } = await http('GET', `${inNamespace('secrets')}/one`);
    expect(found).toEqual({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: expect.any(String) as string },
      columnDefinitions: [
        { name: 'Name', type: 'string', format: 'name', description: expect.any(String) as string, priority: 0 },
        {
          name: 'Type',
          type: 'string',
          format: '',
          description: expect.any(String) as string,
          priority: 0,
        },
        {
          name: 'Data',
          type: 'string',
          format: '',
          description: expect.any(String) as string,
          priority: 0,
        },
        {
          name: 'Age',
          type: 'string',
          format: '',
          description: expect.any(String) as string,
          priority: 0,
        },
      ],
      rows: [
        {
          cells: ['one', 'Opaque', 1, expect.stringMatching(/^\d+s$/) as string],
          object: {
            kind: 'PartialObjectMetadata',
            apiVersion: 'meta.k8s.io/v1',
            metadata: (body as { metadata: object }).metadata,
          },
        },
      ],
    });
  });

  it('Pods', async () => {
    const spec = {
      containers: [
        { name: 'c', image: 'i' },
        { name: 'd', image: 'i' },
      ],
    };
    const container = (name: string, more: object) => ({
      name,
      image: 'i',
      imageID: '',
      ready: false,
      restartCount: 0,
      ...more,
    });
    const died = new Date(Date.now() - 300_000).toISOString().replace(/\.\d+/, '');
    await create(inNamespace('pods'), { metadata: { name: 'a-new' }, spec });
    await create(
      inNamespace('pods'),
      { metadata: { name: 'b-up' }, spec: { ...spec, nodeName: 'there' } },
      {
        phase: 'Running',
        podIP: '127.64.0.9',
        podIPs: [{ ip: '127.64.0.9' }],
        containerStatuses: [
          container('c', { ready: true, state: { running: {} } }),
          container('d', {
            restartCount: 2,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { exitCode: 1, finishedAt: died } },
          }),
        ],
      },
    );
    await create(
      inNamespace('pods'),
      { metadata: { name: 'c-done' }, spec: { ...spec, restartPolicy: 'Never' } },
      {
        phase: 'Failed',
        containerStatuses: [
          container('c', { state: { terminated: { exitCode: 0, reason: 'Completed' } } }),
          container('d', { state: { terminated: { exitCode: 3 } } }),
        ],
      },
    );
    await create(
      inNamespace('pods'),
      { metadata: { name: 'd-init' }, spec: { ...spec, initContainers: [{ name: 'x', image: 'i' }] } },
      { phase: 'Pending', initContainerStatuses: [container('x', { state: { waiting: { reason: 'ErrImagePull' } } })] },
    );
    const found = await table(inNamespace('pods'));
    expect(columns(found)).toEqual([
      'Name string/name',
      'Ready string',
      'Status string',
      'Restarts string',
      'Age string',
      '(IP string)',
      '(Node string)',
      '(Nominated Node string)',
      '(Readiness Gates string)',
    ]);
    const none = ['<none>', '<none>', '<none>', '<none>'];
    expect(cells(found)).toEqual([
      ['a-new', '0/2', 'Pending', '0', 'AGE', ...none],
      [
        'b-up',
        '1/2',
        'CrashLoopBackOff',
        expect.stringMatching(/^2 \(5m\d*s? ago\)$/),
        'AGE',
        '127.64.0.9',
        'there',
        '<none>',
        '<none>',
      ],
      ['c-done', '0/2', 'Completed', '0', 'AGE', ...none],
      ['d-init', '0/2', 'Init:ErrImagePull', '0', 'AGE', ...none],
    ]);
    expect(found.rows[2]).toMatchObject({
      conditions: [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }],
    });
    expect(found.rows[1]).not.toHaveProperty('conditions');
  });

  it('Services', async () => {
    const make = (name: string, spec: object) => create(inNamespace('services'), { metadata: { name }, spec });
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
    expect(columns(found)).toEqual([
      'Name string/name',
      'Type string',
      'Cluster-IP string',
      'External-IP string',
      'Port(s) string',
      'Age string',
      '(Selector string)',
    ]);
    expect(cells(found)).toEqual([
      [
        'balanced',
        'LoadBalancer',
        expect.stringMatching(/^127\.96\./),
        '<pending>',
        '623/UDP,443/TCP',
        'AGE',
        '<none>',
      ],
      ['headless', 'ClusterIP', 'None', '192.0.2.1,192.0.2.2', '<none>', 'AGE', 'a=1,b=2'],
      ['outer', 'ExternalName', '<none>', 'example.com', '<none>', 'AGE', '<none>'],
    ]);
  });

  it('Events', async () => {
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString().replace(/\.\d+/, '');
    const about = { kind: 'Pod', name: 'web', namespace: where, fieldPath: 'spec.containers{c}' };
    await create(inNamespace('events'), {
      metadata: { name: 'counted' },
      involvedObject: about,
      type: 'Normal',
      reason: 'Pulled',
      message: ' it is there\n',
      source: { component: 'kubelet', host: 'node-1' },
      firstTimestamp: minutesAgo(30),
      lastTimestamp: minutesAgo(20),
      count: 3,
    });
    await create(inNamespace('events'), {
      metadata: { name: 'single' },
      involvedObject: { kind: 'Secret', namespace: where },
      type: 'Warning',
      reason: 'Odd',
      message: 'so it is',
      reportingComponent: 'guard',
      reportingInstance: 'guard-1',
    });
    const found = await table(inNamespace('events'));
    expect(columns(found)).toEqual([
      'Last Seen string',
      'Type string',
      'Reason string',
      'Object string',
      '(Subobject string)',
      '(Source string)',
      'Message string',
      '(First Seen string)',
      '(Count string)',
      '(Name string/name)',
    ]);
    // The cluster's own controllers write Events of what other tests make here.
    const ours = found.rows.map((row) => row.cells).filter((row) => ['counted', 'single'].includes(String(row.at(-1))));
    expect(ours).toEqual([
      [
        '20m',
        'Normal',
        'Pulled',
        'pod/web',
        'spec.containers{c}',
        'kubelet, node-1',
        'it is there',
        '30m',
        3,
        'counted',
      ],
      ['<unknown>', 'Warning', 'Odd', 'secret', '', 'guard, guard-1', 'so it is', '<unknown>', 1, 'single'],
    ]);
  });

  it('Deployments and ReplicaSets', async () => {
    const spec = {
      replicas: 2,
      selector: {
        matchLabels: { b: '2', a: '1' },
        matchExpressions: [{ key: 'c', operator: 'In', values: ['y', 'x'] }],
      },
      template: {
        metadata: { labels: { a: '1', b: '2', c: 'x' } },
        spec: {
          containers: [
            { name: 'c', image: 'i' },
            { name: 'd', image: 'j' },
          ],
        },
      },
    };
    const apps = `/apis/apps/v1/namespaces/${where}`;
    const status = { replicas: 2, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
    await create(`${apps}/deployments`, { metadata: { name: 'one' }, spec }, status);
    await create(`${apps}/replicasets`, { metadata: { name: 'one' }, spec }, { replicas: 2, readyReplicas: 1 });
    const deployments = await table(`${apps}/deployments`);
    const wide = ['(Containers string)', '(Images string)', '(Selector string)'];
    expect(columns(deployments)).toEqual([
      'Name string/name',
      'Ready string',
      'Up-to-date string',
      'Available string',
      'Age string',
      ...wide,
    ]);
    expect(cells(deployments)).toEqual([['one', '1/2', 1, 1, 'AGE', 'c,d', 'i,j', 'a=1,b=2,c in (x,y)']]);
    const replicaSets = await table(`${apps}/replicasets`);
    expect(columns(replicaSets)).toEqual([
      'Name string/name',
      'Desired integer',
      'Current integer',
      'Ready integer',
      'Age string',
      ...wide,
    ]);
    expect(cells(replicaSets)).toEqual([['one', 2, 2, 1, 'AGE', 'c,d', 'i,j', 'a=1,b=2,c in (x,y)']]);
  });

  it('Namespaces, CustomResourceDefinitions and APIServices', async () => {
    const namespaces = await table(`/api/v1/namespaces/${where}`);
    expect(columns(namespaces)).toEqual(['Name string/name', 'Status string', 'Age string']);
    expect(cells(namespaces)).toEqual([[where, 'Active', 'AGE']]);
    const name = 'virtualmachinebmcs.bmc.kubevirt.io';
    const definition = await table(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`);
    expect(columns(definition)).toEqual(['Name string/name', 'Created At date']);
    expect(cells(definition)).toEqual([[name, expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)]]);
    expect(columns(await table('/apis/apiregistration.k8s.io/v1/apiservices'))).toEqual([
      'Name string/name',
      'Service string',
      'Available string',
      'Age string',
    ]);
  });

  it.each([
    [
      '/api/v1/nodes',
      'Status Roles Age Version (Internal-IP) (External-IP) (OS-Image) (Kernel-Version) (Container-Runtime)',
    ],
    [
      '/api/v1/persistentvolumeclaims',
      'Status Volume Capacity (Access Modes) StorageClass VolumeAttributesClass Age (VolumeMode)',
    ],
    ['/api/v1/serviceaccounts', 'Secrets Age'],
    ['/apis/coordination.k8s.io/v1/leases', 'Holder Age'],
    ['/apis/discovery.k8s.io/v1/endpointslices', 'AddressType Ports Endpoints Age'],
    ['/apis/storage.k8s.io/v1/storageclasses', 'Provisioner ReclaimPolicy VolumeBindingMode AllowVolumeExpansion Age'],
    ['/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', 'Role Age (Users) (Groups) (ServiceAccounts)'],
    ['/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', 'Webhooks Age'],
  ])('%s has the columns that people know', async (path, expected) => {
    const found = await table(path);
    const names = (found.columnDefinitions ?? []).map(({ name, priority }) => (priority === 0 ? name : `(${name})`));
    expect(names.join(' ').replace('Access Modes', '(Access Modes)')).toBe(`Name ${expected}`);
  });
});
