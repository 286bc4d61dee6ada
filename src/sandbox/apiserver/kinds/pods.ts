import { arrayOr, at, equal, isObject, objectOr, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import { forbidden, type FieldError } from '../status.ts';
import type { Store } from '../store/index.ts';
import { setPodSpecDefaults, validatePodSpec } from './pod-template.ts';

const NAMES = { group: '', kind: 'Pod', plural: 'pods' };
/** What may change in a pod that exists; all else in its spec may not. */
const MUTABLE = [
  'activeDeadlineSeconds',
  'terminationGracePeriodSeconds',
  'tolerations',
  'nodeName',
  'schedulingGates',
];

/** Pods: defaults, the ServiceAccount and DefaultTolerationSeconds admission, immutability, graceful deletion. */
export function podStrategy(store: Store): Strategy {
  return {
    setDefaults(pod) {
      const spec = objectOr(pod['spec']);
      setPodSpecDefaults(spec);
      spec['enableServiceLinks'] ??= true;
    },
    prepareCreate(pod) {
      const spec = objectOr(pod['spec']);
      admit(pod, spec, store);
      spec['priority'] ??= 0;
      spec['preemptionPolicy'] ??= 'PreemptLowerPriority';
      addTolerations(spec);
      pod['status'] = { phase: 'Pending', qosClass: qosClass(spec) };
    },
    validate(pod, previous) {
      const errors = validatePodSpec(objectOr(pod['spec']), 'spec');
      return previous === undefined ? errors : [...errors, ...immutability(pod, previous)];
    },
    gracePeriod(pod, requested) {
      // Nobody is there to stop what was never started.
      if (
        at(pod, 'spec', 'nodeName') === undefined ||
        ['Succeeded', 'Failed'].includes(textOr(at(pod, 'status', 'phase')))
      )
        return 0;
      const own = at(pod, 'spec', 'terminationGracePeriodSeconds');
      return Math.max(0, requested ?? (typeof own === 'number' ? own : 30));
    },
  };
}

function admit(pod: ApiObject, spec: JsonObject, store: Store): void {
  const name = typeof spec['serviceAccountName'] === 'string' ? spec['serviceAccountName'] : 'default';
  const { namespace = '' } = pod.metadata;
  if (store.collection('/serviceaccounts').get(`${namespace}/${name}`) === undefined) {
    throw forbidden(
      NAMES,
      pod.metadata.name,
      `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
    );
  }
  Object.assign(spec, { serviceAccountName: name, serviceAccount: name });
}

function addTolerations(spec: JsonObject): void {
  const tolerations = arrayOr(spec['tolerations']).filter(isObject);
  for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
    const isTolerated = tolerations.some(
      (toleration) => (toleration['key'] ?? key) === key && (toleration['effect'] ?? 'NoExecute') === 'NoExecute',
    );
    if (!isTolerated) tolerations.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
  }
  spec['tolerations'] = tolerations;
}

function qosClass(spec: JsonObject): string {
  const containers = [...arrayOr(spec['containers']), ...arrayOr(spec['initContainers'])].map((container) =>
    objectOr(at(container, 'resources')),
  );
  const amounts = (kind: string) => containers.map((resources) => objectOr(resources[kind]));
  if ([...amounts('requests'), ...amounts('limits')].every((amount) => Object.keys(amount).length === 0))
    return 'BestEffort';
  const guaranteed = containers.every((resources) => {
    const limits = objectOr(resources['limits']);
    return (
      limits['cpu'] !== undefined && limits['memory'] !== undefined && equal(limits, objectOr(resources['requests']))
    );
  });
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

function immutability(pod: ApiObject, previous: ApiObject): FieldError[] {
  const before = objectOr(previous['spec']);
  const count = (object: ApiObject) => arrayOr(at(object, 'spec', 'containers')).length;
  if (count(pod) !== count(previous)) {
    return [
      {
        field: 'spec.containers',
        reason: 'FieldValueForbidden',
        message: 'Forbidden: pod updates may not add or remove containers',
      },
    ];
  }
  if (
    equal(fixed(objectOr(pod['spec'])), fixed(before)) &&
    (before['nodeName'] === undefined || before['nodeName'] === at(pod, 'spec', 'nodeName'))
  )
    return [];
  return [
    {
      field: 'spec',
      reason: 'FieldValueForbidden',
      message:
        'Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
    },
  ];
}

function fixed(spec: JsonObject): JsonObject {
  const rest = Object.fromEntries(Object.entries(spec).filter(([key]) => !MUTABLE.includes(key)));
  for (const list of ['containers', 'initContainers']) {
    if (Array.isArray(rest[list]))
      rest[list] = rest[list].map((container) => ({ ...objectOr(container), image: null }));
  }
  return rest;
}
