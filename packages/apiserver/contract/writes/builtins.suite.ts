import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { MERGE, STRATEGIC, writeScene, type Body } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { within, make, namespace, patch, unique } = writeScene(harness);

beforeAll(async () => {
  await http('POST', within('serviceaccounts'), { body: { metadata: { name: 'default' } } });
});
const CONTAINER = {
  name: 'a',
  image: 'b',
  imagePullPolicy: 'Always',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};
const TEMPLATE = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
};

describe('a Pod', () => {
  const dry = async (spec: object, metadata = {}) =>
    await http('POST', `${within('pods')}?dryRun=All`, {
      body: {
        metadata: { name: 'p', ...metadata },
        spec: { serviceAccountName: 'default', containers: [{ name: 'a', image: 'b' }], ...spec },
      },
    });

  it('is defaulted, and waits', async () => {
    const { status, body } = await dry({}, { generation: 7 });
    expect(status).toBe(201);
    expect((body as Body).metadata.generation).toBe(1);
    expect((body as Body).spec).toMatchObject({
      ...TEMPLATE,
      serviceAccountName: 'default',
      serviceAccount: 'default',
      containers: [CONTAINER],
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
    expect((body as Body).status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
  });

  it.each([
    ['b', 'Always'],
    ['b:latest', 'Always'],
    ['b:1', 'IfNotPresent'],
    ['registry:5000/b', 'Always'],
    [`b@sha256:${'a'.repeat(64)}`, 'IfNotPresent'],
  ])('pulls %s %s', async (image, imagePullPolicy) => {
    expect(await dry({ containers: [{ name: 'a', image }] })).toMatchObject({
      body: { spec: { containers: [{ image, imagePullPolicy }] } },
    });
  });

  it('has defaults in its probes, ports, variables and volumes', async () => {
    const { body } = await dry({
      volumes: [
        { name: 'e' },
        { name: 's', secret: { secretName: 'x' } },
        { name: 'p', projected: { sources: [{ serviceAccountToken: { path: 'x' } }] } },
      ],
      containers: [
        {
          name: 'a',
          image: 'b',
          ports: [{ containerPort: 80 }],
          env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
          livenessProbe: { httpGet: { port: 'x' } },
          readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 3 },
        },
      ],
    });
    const timing = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
    expect((body as Body).spec).toMatchObject({
      volumes: [
        { name: 'e', emptyDir: {} },
        { name: 's', secret: { secretName: 'x', defaultMode: 420 } },
        {
          name: 'p',
          projected: { defaultMode: 420, sources: [{ serviceAccountToken: { path: 'x', expirationSeconds: 3600 } }] },
        },
      ],
      containers: [
        {
          ports: [{ containerPort: 80, protocol: 'TCP' }],
          env: [{ valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
          livenessProbe: { httpGet: { port: 'x', path: '/', scheme: 'HTTP' }, ...timing },
          readinessProbe: { tcpSocket: { port: 80 }, ...timing, periodSeconds: 3 },
        },
      ],
    });
  });
});

describe('a Deployment', () => {
  const labels = { a: 'b' };
  const FULL = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'b' }] } },
  };
  const dry = async (spec?: object) =>
    await http('POST', `${within('deployments', 'apps')}?dryRun=All`, { body: { metadata: { name: 'd' }, spec } });

  it('is defaulted', async () => {
    const { status, body } = await dry(FULL);
    expect(status).toBe(201);
    expect((body as Body).metadata.generation).toBe(1);
    expect((body as Body).spec).toMatchObject({
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { ...TEMPLATE, containers: [CONTAINER] } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    });
    expect((body as Body).status).toEqual({});
  });
});

describe('a value of another type than the field’s', () => {
  it.each<[string, string, object]>([
    ['pods', '', { spec: { containers: 'x' } }],
    ['pods', '', { spec: { containers: [{ name: 3 }] } }],
    ['pods', '', { spec: { containers: [{ name: 'a', ports: [{ containerPort: 1.5 }] }] } }],
    ['configmaps', '', { data: { a: 3 } }],
    ['configmaps', '', { binaryData: { a: '!!' } }],
    ['events', '', { firstTimestamp: 'x' }],
  ])('is refused: %s %s %j', async (plural, group, values) => {
    const body = { metadata: { name: 'a' }, ...values };
    expect(await http('POST', `${within(plural, group)}?dryRun=All`, { body })).toMatchObject({
      status: 400,
      body: { reason: 'BadRequest' },
    });
  });
});

describe('a Secret', () => {
  it('takes text, which it shows encoded', async () => {
    const name = unique();
    const path = `${within('secrets')}/${name}`;
    const { data } = await make(within('secrets'), { metadata: { name }, data: { a: 'eA==' }, stringData: { u: 'ü' } });
    expect(data).toEqual({ a: 'eA==', u: 'w7w=' });
    const { body } = await patch(MERGE, path, { stringData: { a: 'b' }, data: { u: null } });
    expect((body as Body).data).toEqual({ a: 'Yg==' });
    expect(body).toMatchObject({ type: 'Opaque' });
  });

  it('that is immutable keeps its data', async () => {
    const name = unique();
    await make(within('secrets'), { metadata: { name }, data: { a: 'eA==' }, immutable: true });
    expect(await patch(MERGE, `${within('secrets')}/${name}`, { stringData: { a: 'b' } })).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', details: { causes: [{ field: 'data', reason: 'FieldValueForbidden' }] } },
    });
  });
});

it('nulls in maps are empty texts', async () => {
  const body = { metadata: { name: 'a' }, data: { a: null }, immutable: null };
  const answer = await http('POST', `${within('configmaps')}?dryRun=All`, { body });
  expect(answer.body).toMatchObject({ data: { a: '' } });
  expect(answer.body).not.toHaveProperty('immutable');
});

describe('an Event', () => {
  const event = () => ({
    metadata: { name: unique() },
    involvedObject: { kind: 'Pod', name: 'p', namespace: namespace() },
    lastTimestamp: '2026-01-01T00:00:00Z',
    count: 1,
  });

  it('of the core group has the fields of the newer API, which are empty', async () => {
    expect(await make(within('events'), event())).toMatchObject({
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    });
  });

  it('is counted by a strategic merge patch, as recorders do', async () => {
    const { metadata } = await make(within('events'), event());
    const again = { count: 2, lastTimestamp: '2026-01-01T00:00:05Z' };
    expect(await patch(STRATEGIC, `${within('events')}/${metadata.name}`, again)).toMatchObject({
      status: 200,
      body: again,
    });
  });
});
