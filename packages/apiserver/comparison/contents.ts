import fc from 'fast-check';
import { key, rarely, record, some, word, words } from './arbitraries.ts';
import type { PlayedKind } from './kinds.ts';

/** What an object has beside its metadata: mostly what the server accepts. */
export function contents(kind: PlayedKind['name']): fc.Arbitrary<Record<string, unknown>> {
  return CONTENTS[kind];
}

/** A status to write, mostly one that the server accepts. */
export function statuses(kind: PlayedKind['name']): fc.Arbitrary<Record<string, unknown>> {
  return STATUSES[kind] ?? record({});
}

const base64 = fc.constantFrom('eA==', 'eQ==', '', 'not base64');
const count = fc.constantFrom(0, 1, 7);

const widgetSpec = record({
  colour: some(fc.constantFrom('red', 'green', 'blue')),
  size: some(fc.constantFrom(0, 1, 2, 9, 10, -1, 'three', 1.5)),
  note: some(fc.constantFrom('short', 'too long', null)),
  tags: some(fc.array(key, { maxLength: 3 })),
  parts: some(fc.array(word, { maxLength: 3 })),
  ports: some(fc.array(record({ name: fc.oneof(some(key), key), number: some(count) }), { maxLength: 3 })),
  limits: some(fc.dictionary(key, fc.constantFrom<unknown>(1, '2', true), { maxKeys: 2 })),
  whole: some(words),
  free: some(fc.dictionary(key, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 })),
});
/** Beside what fits: at an unknown field kube-apiserver stops looking, and it goes through fields in no order. */
const unknownSpec = record({ note: some(fc.constant('short')), unknown: word });

const container = record({
  name: fc.constantFrom('one', 'two'),
  image: fc.constantFrom('image:1', 'image:2'),
  args: some(fc.array(word, { maxLength: 2 })),
  env: some(fc.array(record({ name: fc.constantFrom('A', 'B'), value: some(word) }), { maxLength: 2 })),
  ports: some(fc.array(record({ containerPort: fc.constantFrom(80, 81), name: some(key) }), { maxLength: 2 })),
});

const podSpec = record({
  containers: fc.array(container, { minLength: 1, maxLength: 2 }),
  nodeSelector: some(words),
  terminationGracePeriodSeconds: some(fc.constantFrom(0, 5)),
});

/**
 * What may not change in a pod does not differ: kube-apiserver's refusal shows the difference in Go's words. The account
 * is named, since the real control plane of the tests runs without the admission that gives pods one.
 */
const playedPod = record({
  serviceAccountName: fc.constant('default'),
  containers: fc.constantFrom('image:1', 'image:2', '').map((image) => [{ name: 'one', image }]),
  activeDeadlineSeconds: rarely(fc.constantFrom(5, 7)),
});

const deploymentSpec = record({
  replicas: some(fc.constantFrom(0, 1, 5, -1)),
  paused: some(fc.boolean()),
  selector: fc.constant({ matchLabels: { app: 'one' } }),
  template: record({
    metadata: fc.constantFrom<object[]>(
      { labels: { app: 'one' } },
      { labels: { app: 'one' } },
      { labels: { app: 'one' }, unknown: 'x' },
      { labels: { app: 'one', tier: 'x' } },
      { labels: { app: 'two' } },
    ),
    spec: podSpec,
  }),
});

const servicePort = record({
  name: fc.oneof(some(key), key),
  port: fc.constantFrom(80, 81, 623, 0),
  targetPort: some(fc.constantFrom(80, 'ipmi', 0)),
  protocol: some(fc.constantFrom('TCP', 'UDP', 'ICMP')),
});

const serviceSpec = record({
  type: rarely(fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName', 'Other'), 2),
  clusterIP: rarely(fc.constantFrom('None', ''), 5),
  selector: some(words),
  // Of two that are the same, it is told after node ports were given to them.
  ports: some(
    fc.uniqueArray(servicePort, {
      minLength: 1,
      maxLength: 2,
      selector: ({ port, protocol = 'TCP' }) => JSON.stringify([port, protocol]),
    }),
  ),
  sessionAffinity: rarely(fc.constantFrom('None', 'ClientIP')),
  externalName: rarely(fc.constantFrom('example.com', 'Not a name')),
  publishNotReadyAddresses: rarely(fc.boolean()),
});

const CONTENTS: Record<PlayedKind['name'], fc.Arbitrary<Record<string, unknown>>> = {
  ConfigMap: record({
    data: some(words),
    // An immutable one may not get an empty map where it has none.
    binaryData: some(fc.dictionary(key, base64, { minKeys: 1, maxKeys: 1 })),
    immutable: rarely(fc.boolean()),
  }),
  Secret: record({
    data: some(fc.dictionary(key, base64, { maxKeys: 2 })),
    stringData: some(words),
    type: rarely(fc.constantFrom('Opaque', 'other')),
  }),
  Deployment: record({ spec: deploymentSpec }),
  Service: record({ spec: serviceSpec }),
  Pod: record({ spec: playedPod }),
  Widget: record({
    spec: fc.oneof(
      { weight: 9, arbitrary: widgetSpec },
      { weight: 1, arbitrary: unknownSpec },
      { weight: 1, arbitrary: fc.constantFrom(null, 'text', undefined) },
    ),
  }),
};

const condition = record({
  type: fc.constantFrom('Ready', 'Progressing'),
  status: fc.constantFrom('True', 'False'),
  reason: some(fc.constantFrom('Because', 'SoItIs')),
});
const conditions = some(fc.uniqueArray(condition, { maxLength: 2, selector: ({ type }) => type }));

const STATUSES: Partial<Record<PlayedKind['name'], fc.Arbitrary<Record<string, unknown>>>> = {
  Deployment: record({
    replicas: some(count),
    readyReplicas: some(count),
    observedGeneration: some(count),
    conditions,
  }),
  Service: record({ loadBalancer: some(fc.constantFrom({}, { ingress: [{ ip: '192.0.2.1' }] })), conditions }),
  Pod: record({ phase: some(fc.constantFrom('Pending', 'Running', 'Failed')), message: some(word), conditions }),
  Widget: record({
    ready: some(fc.boolean()),
    count: some(fc.oneof(count, fc.constant('many'))),
    unknown: rarely(word),
  }),
};
