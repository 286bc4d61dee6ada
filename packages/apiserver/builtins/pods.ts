import { arrayOr, at, equal, isObject, objectOr, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import { fieldErrors } from '../schema/index.ts';
import { forbidden, type FieldError } from '../status.ts';
import type { Store } from '../store/index.ts';
import { setHostPorts, setPodSpecDefaults, setRequests } from './pod-template.ts';

const NAMES = { group: '', kind: 'Pod', plural: 'pods' };
/** The mutable fields of a Pod's spec, besides the images of the containers. */
const MUTABLE = ['activeDeadlineSeconds', 'tolerations', 'schedulingGates'];

/**
 * The strategy of Pods: defaults, ServiceAccount and DefaultTolerationSeconds admission, immutable fields, graceful
 * deletion.
 */
export function podStrategy(store: Store): Strategy {
  return {
    setDefaults(pod) {
      const spec = objectOr(pod['spec']);
      setPodSpecDefaults(spec);
      setRequests(spec);
      setHostPorts(spec);
      spec['enableServiceLinks'] ??= true;
    },
    prepareCreate(pod) {
      const spec = objectOr(pod['spec']);
      admit(pod, spec, store);
      spec['priority'] ??= 0;
      spec['preemptionPolicy'] ??= 'PreemptLowerPriority';
      addTolerations(spec);
      if (Number(spec['terminationGracePeriodSeconds']) < 0) spec['terminationGracePeriodSeconds'] = 1;
      pod['status'] = { phase: 'Pending', qosClass: qosClass(spec) };
    },
    // An update without the admission defaults must not change the Pod.
    prepareUpdate(pod, previous, subresource) {
      if (subresource !== undefined) return;
      const spec = objectOr(pod['spec']);
      for (const key of ['priority', 'preemptionPolicy']) {
        const value = at(previous, 'spec', key);
        if (value !== undefined) spec[key] ??= value;
      }
      addTolerations(spec);
    },
    validate: (pod, previous, subresource) =>
      previous === undefined || subresource === 'status' ? [] : immutability(pod, previous),
    prepareStatusUpdate(pod, previous) {
      const { ownerReferences } = previous.metadata;
      if (ownerReferences === undefined) delete pod.metadata.ownerReferences;
      else pod.metadata.ownerReferences = ownerReferences;
      const status = objectOr(pod['status']);
      const before = at(previous, 'status', 'qosClass');
      if (before !== undefined) status['qosClass'] ??= before;
      pod['status'] = status;
    },
    gracePeriod(pod, requested) {
      // A Pod that does not run is deleted immediately.
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
  if (equal(fixed(objectOr(pod['spec'])), fixed(objectOr(previous['spec'])))) return [];
  const fields = ['containers[*].image', 'initContainers[*].image', ...MUTABLE].map((field) => `\`spec.${field}\``);
  return [fieldErrors.forbidden('spec', `pod updates may not change fields other than ${fields.join(',')}`)];
}

function fixed(spec: JsonObject): JsonObject {
  const rest = Object.fromEntries(Object.entries(spec).filter(([key]) => !MUTABLE.includes(key)));
  for (const list of ['containers', 'initContainers']) {
    if (Array.isArray(rest[list]))
      rest[list] = rest[list].map((container) => ({ ...objectOr(container), image: null }));
  }
  return rest;
}
