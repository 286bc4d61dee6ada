import { arrayOr, at, equal, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import { fieldErrors } from '../schema/index.ts';
import { forbidden, type FieldError } from '../status.ts';
import type { Store } from '../store/index.ts';
import { validatePodSpec } from './pod-spec-errors.ts';
import { setHostPorts, setPodSpecDefaults, setRequests } from './pod-template.ts';
import { podWarnings } from './pod-warnings.ts';

const NAMES = { group: '', kind: 'Pod', plural: 'pods' };
/** What has rules of its own for how it may change in a pod that exists; all else in its spec may not. */
const MUTABLE = ['activeDeadlineSeconds', 'tolerations', 'schedulingGates'];

/** Pods: defaults, the ServiceAccount and DefaultTolerationSeconds admission, immutability, graceful deletion. */
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
    // A pod that is replaced by what it was made from is the same.
    prepareUpdate(pod, previous, subresource) {
      if (subresource !== undefined) return;
      const spec = objectOr(pod['spec']);
      for (const key of ['priority', 'preemptionPolicy']) {
        const value = at(previous, 'spec', key);
        if (value !== undefined) spec[key] ??= value;
      }
      addTolerations(spec);
    },
    // Of those who change a pod, most are programs.
    warnings: (pod, previous) => (previous === undefined ? podWarnings(objectOr(pod['spec']), 'spec') : []),
    judgesAll: true,
    validate(pod, previous, subresource) {
      if (subresource === 'status') return [];
      const errors = validatePodSpec(objectOr(pod['spec']), 'spec');
      return previous === undefined ? errors : [...errors, ...immutability(pod, previous)];
    },
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
  const spec = objectOr(pod['spec']);
  const before = objectOr(previous['spec']);
  for (const list of ['containers', 'initContainers']) {
    if (arrayOr(spec[list]).length !== arrayOr(before[list]).length)
      return [fieldErrors.forbidden(`spec.${list}`, 'pod updates may not add or remove containers')];
  }
  const errors = [...imageErrors(spec), ...deadlineErrors(spec, before), ...tolerationErrors(spec, before)];
  if (equal(fixed(spec), fixed(before))) return errors;
  const fields =
    '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
  return [...errors, fieldErrors.forbidden('spec', `pod updates may not change fields other than ${fields}\n`)];
}

/** Said of a change as well as of a pod. */
function imageErrors(spec: JsonObject): FieldError[] {
  return ['containers', 'initContainers'].flatMap((list) =>
    arrayOr(spec[list]).flatMap((container, index) =>
      textOr(at(container, 'image')).trim() === '' ? [fieldErrors.required(`spec.${list}[${index}].image`)] : [],
    ),
  );
}

function deadlineErrors({ activeDeadlineSeconds: next }: JsonObject, before: JsonObject): FieldError[] {
  const field = 'spec.activeDeadlineSeconds';
  const { activeDeadlineSeconds: last } = before;
  if (typeof last !== 'number' || (typeof next === 'number' && next <= last)) return [];
  return [
    typeof next === 'number'
      ? fieldErrors.invalid(field, next, 'must be less than or equal to previous value')
      : fieldErrors.invalid(field, null, 'must not update from a positive integer to nil value'),
  ];
}

/** Tolerations may be added; of those that are there only the seconds may change. */
function tolerationErrors(spec: JsonObject, before: JsonObject): FieldError[] {
  const next = arrayOr(spec['tolerations']).map(withoutSeconds);
  const isKept = arrayOr(before['tolerations'])
    .map(withoutSeconds)
    .every((toleration) => next.some((other) => equal(other, toleration)));
  const message = 'existing toleration can not be modified except its tolerationSeconds';
  return isKept ? [] : [fieldErrors.forbidden('spec.tolerations', message)];
}

function withoutSeconds(toleration: Json): JsonObject {
  const { tolerationSeconds: _seconds, ...rest } = objectOr(toleration);
  return rest;
}

function fixed(spec: JsonObject): JsonObject {
  const rest = Object.fromEntries(Object.entries(spec).filter(([key]) => !MUTABLE.includes(key)));
  for (const list of ['containers', 'initContainers']) {
    if (Array.isArray(rest[list]))
      rest[list] = rest[list].map((container) => ({ ...objectOr(container), image: null }));
  }
  return rest;
}
