import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { BAD_REQUEST, INVALID } from '../refusal.ts';
import { MERGE, STRATEGIC, writeScene, type Body } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { within, make, get, namespace, patch, put, unique } = writeScene(harness);

beforeAll(async () => {
  // A server without the controller of service accounts does not create the default account.
  await http('POST', within('serviceaccounts'), { body: { metadata: { name: 'default' } } });
});

const dry = async (path: string, body: object) =>
  await http('POST', `${path}?dryRun=All`, { body: { metadata: { name: 'x' }, ...body } });
const specOf = async (path: string, spec: object) => {
  const { status, body } = await dry(path, { spec });
  expect(status).toBe(201);
  return (body as Body).spec;
};
const CONTAINER = { name: 'a', image: 'b' };
const FULL_CONTAINER = {
  ...CONTAINER,
  imagePullPolicy: 'Always',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};
const POD_DEFAULTS = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
};

describe('a Pod', () => {
  const spec = (more: object) => ({ serviceAccountName: 'default', containers: [CONTAINER], ...more });

  it('has defaults and is pending', async () => {
    const { body } = await dry(within('pods'), { spec: spec({}) });
    const { metadata, spec: found, status } = body as Body;
    expect(metadata.generation).toBe(1);
    expect(status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
    expect(found).toMatchObject({
      ...POD_DEFAULTS,
      serviceAccount: 'default',
      containers: [FULL_CONTAINER],
      enableServiceLinks: true,
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
      tolerations: ['not-ready', 'unreachable'].map((key) => ({
        key: `node.kubernetes.io/${key}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
    });
  });

  it.each([
    ['b:latest', 'Always'],
    ['b:1', 'IfNotPresent'],
    ['registry:5000/b', 'Always'],
    [`b@sha256:${'a'.repeat(64)}`, 'IfNotPresent'],
  ])('with the image %s has the pull policy %s', async (image, imagePullPolicy) => {
    const found = await specOf(within('pods'), spec({ containers: [{ name: 'a', image }] }));
    expect(found).toMatchObject({ containers: [{ imagePullPolicy }] });
  });

  it('has defaults in probes, ports, variables and volumes', async () => {
    const token = { serviceAccountToken: { path: 'x' } };
    const found = await specOf(
      within('pods'),
      spec({
        volumes: [
          { name: 'e' },
          { name: 's', secret: { secretName: 'x' } },
          { name: 'p', projected: { sources: [token] } },
        ],
        containers: [
          {
            ...CONTAINER,
            ports: [{ containerPort: 80 }],
            env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
            livenessProbe: { httpGet: { port: 'x' } },
          },
        ],
      }),
    );
    expect(found).toMatchObject({
      volumes: [
        { emptyDir: {} },
        { secret: { defaultMode: 420 } },
        { projected: { defaultMode: 420, sources: [{ serviceAccountToken: { expirationSeconds: 3600 } }] } },
      ],
      containers: [
        {
          ports: [{ protocol: 'TCP' }],
          env: [{ valueFrom: { fieldRef: { apiVersion: 'v1' } } }],
          livenessProbe: {
            httpGet: { path: '/', scheme: 'HTTP' },
            timeoutSeconds: 1,
            periodSeconds: 10,
            successThreshold: 1,
            failureThreshold: 3,
          },
        },
      ],
    });
  });

  it('allows a change of the image only', async () => {
    await make(within('pods'), { metadata: { name: 'fixed' }, spec: spec({}) });
    const change = async (more: object) => await patch(STRATEGIC, `${within('pods')}/fixed`, { spec: more });
    expect(await change({ containers: [{ name: 'a', image: 'two' }] })).toMatchObject({
      status: 200,
      body: { metadata: { generation: 2 }, spec: { containers: [{ image: 'two' }] } },
    });
    for (const more of [{ hostname: 'x' }, { nodeName: 'other' }, { terminationGracePeriodSeconds: 5 }])
      expect(await change(more)).toMatchObject(INVALID);
  });
});

describe('a Deployment', () => {
  const labels = { a: 'b' };
  const spec = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [CONTAINER] } },
  };

  it('has defaults', async () => {
    const { body } = await dry(within('deployments', 'apps'), { spec });
    expect(body).toMatchObject({
      metadata: { generation: 1 },
      spec: {
        replicas: 1,
        template: { spec: { ...POD_DEFAULTS, containers: [FULL_CONTAINER] } },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
    });
    expect((body as Body).status).toEqual({});
  });

  it('does not allow a change of its selector', async () => {
    const before = await make(within('deployments', 'apps'), { metadata: { name: 'fixed' }, spec });
    const changed = JSON.parse(JSON.stringify(before).replaceAll('{"a":"b"}', '{"a":"c"}')) as object;
    expect(await put(`${within('deployments', 'apps')}/fixed`, changed)).toMatchObject(INVALID);
  });
});

describe('a StatefulSet', () => {
  const labels = { a: 'b' };
  const template = { metadata: { labels }, spec: { containers: [CONTAINER] } };
  const spec = { selector: { matchLabels: labels }, serviceName: 'none', template };

  it('has defaults', async () => {
    const { body } = await dry(within('statefulsets', 'apps'), { spec });
    expect(body).toMatchObject({
      metadata: { generation: 1 },
      spec: {
        replicas: 1,
        podManagementPolicy: 'OrderedReady',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        revisionHistoryLimit: 10,
        template: { spec: { ...POD_DEFAULTS, containers: [FULL_CONTAINER] } },
      },
    });
  });

  it('allows a change of its template, and of no field that names its pods', async () => {
    const before = await make(within('statefulsets', 'apps'), { metadata: { name: 'fixed' }, spec });
    const path = `${within('statefulsets', 'apps')}/fixed`;
    const parallel = JSON.parse(JSON.stringify(before).replace('OrderedReady', 'Parallel')) as object;
    expect(await put(path, parallel)).toMatchObject(INVALID);
    const newer = JSON.parse(JSON.stringify(before).replace('"containers"', '"hostname":"x","containers"')) as object;
    expect(await put(path, newer)).toMatchObject({ status: 200 });
  });
});

describe('a PodDisruptionBudget', () => {
  const spec = { maxUnavailable: 1, selector: { matchLabels: { a: 'b' } } };

  it('counts the changes of its spec, and has no defaults', async () => {
    const path = within('poddisruptionbudgets', 'policy');
    const made = await make(path, { metadata: { name: 'one' }, spec });
    expect([made.metadata.generation, made.spec]).toEqual([1, spec]);
    const { body } = await patch(MERGE, `${path}/one`, { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } });
    expect(body).toMatchObject({ metadata: { generation: 2 } });
  });

  it.each([
    { ...spec, minAvailable: 1 },
    { ...spec, unhealthyPodEvictionPolicy: 'x' },
  ])('is refused with %j', async (wrong) => {
    expect(await dry(within('poddisruptionbudgets', 'policy'), { spec: wrong })).toMatchObject(INVALID);
  });
});

it.each<[string, object]>([
  ['pods', { spec: { containers: 'x' } }],
  ['pods', { spec: { containers: [{ name: 3 }] } }],
  ['pods', { spec: { containers: [{ name: 'a', ports: [{ containerPort: 1.5 }] }] } }],
  ['configmaps', { data: { a: 3 } }],
  ['configmaps', { binaryData: { a: '!!' } }],
  ['events', { firstTimestamp: 'x' }],
])('a value of the wrong type is refused: %s %j', async (plural, values) => {
  expect(await dry(within(plural), values)).toMatchObject(BAD_REQUEST);
});

it('nulls in the data of a ConfigMap become empty strings', async () => {
  const { body } = await dry(within('configmaps'), { data: { a: null }, immutable: null });
  expect(body).toMatchObject({ data: { a: '' } });
  expect(body).not.toHaveProperty('immutable');
});

describe('a Secret', () => {
  it('encodes stringData into data', async () => {
    const name = unique();
    const { data } = await make(within('secrets'), { metadata: { name }, data: { a: 'eA==' }, stringData: { u: 'ü' } });
    expect(data).toEqual({ a: 'eA==', u: 'w7w=' });
    const { body } = await patch(MERGE, `${within('secrets')}/${name}`, { stringData: { a: 'b' }, data: { u: null } });
    expect(body).toMatchObject({ type: 'Opaque' });
    expect((body as Body).data).toEqual({ a: 'Yg==' });
    expect(await patch(MERGE, `${within('secrets')}/${name}`, { type: 'other' })).toMatchObject(INVALID);
  });
});

it.each([
  ['secrets', { a: 'eA==' }, { a: 'eQ==' }],
  ['configmaps', { a: 'x' }, { a: 'y' }],
])('immutable %s allow changes of metadata only', async (plural, data, other) => {
  const path = `${within(plural)}/fixed`;
  await make(within(plural), { metadata: { name: 'fixed' }, data, immutable: true });
  for (const body of [{ data: other }, { immutable: false }, { immutable: null }])
    expect(await patch(MERGE, path, body)).toMatchObject(INVALID);
  expect((await patch(MERGE, path, { metadata: { labels: { a: 'b' } } })).status).toBe(200);
});

it('a RoleBinding does not allow a change of its role', async () => {
  const path = within('rolebindings', 'rbac.authorization.k8s.io');
  await make(path, { metadata: { name: 'fixed' }, roleRef: { kind: 'Role', name: 'r' } });
  expect(await patch(MERGE, `${path}/fixed`, { roleRef: { name: 'z' } })).toMatchObject(INVALID);
});

it('an Event has the fields of events.k8s.io, and recorders can count it', async () => {
  const { metadata, ...event } = await make(within('events'), {
    metadata: { name: unique() },
    involvedObject: { kind: 'Pod', name: 'p', namespace: namespace() },
    count: 1,
  });
  expect(event).toMatchObject({ eventTime: null, reportingComponent: '', reportingInstance: '' });
  const again = { count: 2, lastTimestamp: '2026-01-01T00:00:05Z' };
  expect(await patch(STRATEGIC, `${within('events')}/${metadata.name}`, again)).toMatchObject({
    status: 200,
    body: again,
  });
});

describe('a Service', () => {
  const PORT = { port: 80, protocol: 'TCP', targetPort: 80 };
  const INTERNAL = { type: 'ClusterIP', sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' };
  const SINGLE = { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
  const NONE = { clusterIP: 'None', clusterIPs: ['None'] };
  const selector = { a: 'b' };
  const bmc = { port: 623, protocol: 'UDP', targetPort: 'ipmi', name: 'bmc' };
  const services = () => within('services');
  const create = async (spec: object) => {
    const { metadata, spec: found } = await make(services(), { metadata: { name: unique() }, spec });
    return { name: metadata.name, path: `${services()}/${metadata.name}`, spec: found, address: found?.['clusterIP'] };
  };

  it('gets an address and defaults', async () => {
    const { spec, address } = await create({ selector, ports: [{ port: 80 }] });
    expect(address).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect(spec).toEqual({
      ...INTERNAL,
      ...SINGLE,
      selector,
      ports: [PORT],
      clusterIP: address,
      clusterIPs: [address],
    });
  });

  it.each<[string, object, object]>([
    ['without an address', { ...NONE, selector, ports: [bmc] }, { ...INTERNAL, ...SINGLE }],
    [
      'without an address and a selector',
      NONE,
      { ...INTERNAL, ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' },
    ],
    ['for a name', { type: 'ExternalName', externalName: 'a.b.c' }, { sessionAffinity: 'None' }],
    [
      'with client affinity',
      { ...NONE, selector, sessionAffinity: 'ClientIP' },
      {
        ...INTERNAL,
        ...SINGLE,
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
      },
    ],
  ])('%s has defaults', async (_what, spec, defaults) => {
    expect(await specOf(services(), spec)).toEqual({ ...spec, ...defaults });
  });

  it.each([{ ipFamilies: ['IPv6'] }, { ipFamilyPolicy: 'RequireDualStack' }])('is refused with %j', async (spec) => {
    expect(await dry(services(), { spec: { ports: [{ port: 80 }], ...spec } })).toMatchObject(INVALID);
  });

  it('is refused with the address of another', async () => {
    const { address } = await create({ ports: [{ port: 80 }] });
    const body = { metadata: { name: unique() }, spec: { ports: [{ port: 80 }], clusterIP: address } };
    expect(await http('POST', services(), { body })).toMatchObject(INVALID);
  });

  it('keeps its address', async () => {
    const { name, path, spec, address } = await create({ selector, ports: [{ port: 80 }] });
    const replaced = await put(path, { metadata: { name }, spec: { selector: { a: 'c' }, ports: [{ port: 80 }] } });
    expect((replaced.body as Body).spec).toEqual({ ...spec, selector: { a: 'c' } });
    for (const more of [{ clusterIP: null, clusterIPs: null }, { selector: null }])
      expect(await patch(MERGE, path, { spec: more })).toMatchObject({ body: { spec: { clusterIP: address } } });
    for (const clusterIP of ['None', String(address).replace(/\d+$/, (last) => (last === '7' ? '8' : '7'))])
      expect(await patch(MERGE, path, { spec: { clusterIP } })).toMatchObject(INVALID);
  });

  it('keeps its node ports until its type changes', async () => {
    const { name, path, spec } = await create({ type: 'NodePort', ports: [{ port: 80 }] });
    expect(spec).toMatchObject({
      externalTrafficPolicy: 'Cluster',
      ports: [{ nodePort: expect.any(Number) as number }],
    });
    const { body } = await put(path, {
      metadata: { name },
      spec: { type: 'NodePort', ports: [{ port: 80 }], selector },
    });
    expect((body as Body).spec?.['ports']).toEqual(spec?.['ports']);
    await patch(MERGE, path, { spec: { type: 'ClusterIP' } });
    const { spec: inside } = await get(path);
    expect(inside?.['ports']).toEqual([PORT]);
    expect(inside).not.toHaveProperty('externalTrafficPolicy');
    await patch(MERGE, path, { spec: { type: 'ExternalName', externalName: 'x.y' } });
    const { spec: outside } = await get(path);
    for (const key of ['clusterIP', 'internalTrafficPolicy']) expect(outside).not.toHaveProperty(key);
  });
});
