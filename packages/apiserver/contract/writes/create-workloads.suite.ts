import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { writeScene, type Body } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { within } = writeScene(harness);

beforeAll(async () => {
  await http('POST', within('serviceaccounts'), { body: { metadata: { name: 'default' } } });
});
const CONTAINER = {
  name: 'a',
  image: 'b',
  resources: {},
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
    expect((body as Body).spec).toEqual({
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

  it.each<[object, string]>([
    [{ containers: [] }, 'spec.containers: Required value'],
    [{ containers: [{ image: 'b' }] }, 'spec.containers[0].name: Required value'],
    [{ containers: [{ name: 'a' }] }, 'spec.containers[0].image: Required value'],
    [
      {
        containers: [
          { name: 'a', image: 'b' },
          { name: 'a', image: 'b' },
        ],
      },
      'spec.containers[1].name: Duplicate value: "a"',
    ],
    [
      { restartPolicy: 'X' },
      'spec.restartPolicy: Unsupported value: "X": supported values: "Always", "OnFailure", "Never"',
    ],
    [
      { containers: [{ name: 'a', image: 'b', ports: [{ containerPort: 70000 }] }] },
      'spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
    ],
    [
      { containers: [{ name: 'a', image: 'b', volumeMounts: [{ name: 'v', mountPath: '/x' }] }] },
      'spec.containers[0].volumeMounts[0].name: Not found: "v"',
    ],
    [
      {
        containers: [{ name: 'a', image: 'b', resources: { requests: { cpu: 2 }, limits: { cpu: 1 } } }],
      },
      'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
    ],
    [
      {
        volumes: [
          { name: 'v', emptyDir: {} },
          { name: 'v', emptyDir: {} },
        ],
      },
      'spec.volumes[1].name: Duplicate value: "v"',
    ],
  ])('is refused: %j', async (spec, problem) => {
    expect(await dry(spec)).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', message: `Pod "p" is invalid: ${problem}` },
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
    expect((body as Body).spec).toEqual({
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { ...TEMPLATE, containers: [CONTAINER] } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    });
    expect((body as Body).status).toEqual({});
  });

  it.each<[object, string]>([
    [{ ...FULL, selector: {} }, 'spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
    [
      { ...FULL, selector: { matchLabels: { a: 'c' } } },
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
    ],
    [{ ...FULL, replicas: -1 }, 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    [
      { ...FULL, minReadySeconds: 10, progressDeadlineSeconds: 5 },
      'spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds',
    ],
    [
      { ...FULL, strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } },
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ],
    [
      { ...FULL, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } },
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
    ],
    [
      { ...FULL, template: { ...FULL.template, spec: { ...FULL.template.spec, restartPolicy: 'Never' } } },
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ],
  ])('is refused: %j', async (spec, problem) => {
    expect(await dry(spec)).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', message: `Deployment.apps "d" is invalid: ${problem}` },
    });
  });

  it('that says nothing is told all that it has to say', async () => {
    expect(await dry()).toMatchObject({
      status: 422,
      body: {
        message:
          'Deployment.apps "d" is invalid: [spec.selector: Required value, spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`, spec.template.spec.containers: Required value]',
      },
    });
  });
});
