import { ANNOTATIONS, LABELS, sharedAgentIndex, type VirtualMachineBMC } from '../../api/index.ts';
import type { KubeObject, Pod, StatefulSet } from '@groundcrew/controller-runtime';
import type { Inputs, Missing } from './inputs.ts';
import { failureOf, isUnread } from './managers.ts';
import { podState } from './pod-state.ts';
import type { Problem, SharedAgentStatus } from './overview.ts';
import { byName } from './overview-order.ts';
import { isNew, type Now, type Trouble } from './problem.ts';

/** The name of the shared agent of a BMC; undefined: it has an agent of its own, or none yet. */
export function sharedAgentOf({ status }: VirtualMachineBMC): string | undefined {
  const name = status?.agent?.name ?? '';
  return sharedAgentIndex(name) === undefined ? undefined : name;
}

/** `namespace/name` of the shared agent whose object it is; undefined: of none. */
export function sharedAgentKey({ metadata: { namespace = '', labels } }: KubeObject): string | undefined {
  const name = labels?.[LABELS.sharedAgent];
  return name === undefined ? undefined : `${namespace}/${name}`;
}

/** The pod to which the Services of the BMCs lead. */
export function actingOf(pods: readonly Pod[], now: Now): Pod | undefined {
  return pods.find((pod) => pod.metadata.labels?.[LABELS.acting] === 'true' && podState(pod, now).word === 'Ready');
}

/** A shared agent with its objects. */
export interface SharedAgentFacts {
  namespace: string;
  name: string;
  statefulSet: StatefulSet | undefined;
  pods: readonly Pod[];
  bmcs: string[];
}

/** One row per shared agent, sorted by namespace and name. */
export function evaluateSharedAgents(agents: readonly SharedAgentFacts[], inputs: Inputs): SharedAgentStatus[] {
  const now = (): number => inputs.now;
  return agents.map(({ namespace, name, statefulSet, pods, bmcs }) => {
    const ready = pods.filter((pod) => podState(pod, now).word === 'Ready').length;
    const capacity = statefulSet?.metadata.annotations?.[ANNOTATIONS.sharedAgentCapacity];
    return {
      ...{ namespace, name, bmcs },
      ...(capacity === undefined ? {} : { capacity }),
      acting: actingOf(pods, now)?.metadata.name ?? '-',
      ready: isUnread(inputs, 'Pod') ? '?' : `${ready}/${statefulSet?.spec?.replicas ?? '?'}`,
    };
  });
}

/** What keeps shared agents from serving, and what keeps a second pod from standing by. It is listed once for all BMCs of an agent. */
export function sharedAgentProblems(agents: readonly SharedAgentFacts[], inputs: Inputs): Problem[] {
  if (isUnread(inputs, 'Pod') || isUnread(inputs, 'StatefulSet')) return [];
  return agents.flatMap((facts) => {
    const { namespace, name } = facts;
    return troublesOf(facts, () => inputs.now).map((trouble) => ({ kind: 'StatefulSet', namespace, name, ...trouble }));
  });
}

/** Whether a problem of the agent itself says why its BMCs are not reached. */
export function isDown(pods: readonly Pod[], missing: Missing, now: Now): boolean {
  const isKnown = !isUnread(missing, 'Pod') && !isUnread(missing, 'StatefulSet');
  return isKnown && actingOf(pods, now) === undefined;
}

function troublesOf(facts: SharedAgentFacts, now: Now): Trouble[] {
  const { namespace, name, statefulSet, pods, bmcs } = facts;
  const served = bmcs.length === 1 ? `its BMC ${bmcs.join('')} is` : `its ${bmcs.length} BMCs are`;
  if (statefulSet === undefined)
    return [
      {
        reason: 'NoAgent',
        what: `There is no such StatefulSet: ${served} not served.`,
        todo: 'The manager makes it: see that one leads.',
      },
    ];
  const { replicas = 1 } = statefulSet.spec ?? {};
  if (replicas === 0)
    return [
      {
        reason: 'ScaledToZero',
        what: `It is scaled to 0: ${served} not served.`,
        todo: `kubectl scale -n ${namespace} statefulset ${name} --replicas=2`,
      },
    ];
  const isServing = actingOf(pods, now) !== undefined;
  const ofPods = pods.flatMap((pod): Trouble[] => {
    const { trouble, isMinor } = podState(pod, now);
    return trouble === undefined || (isMinor === true && isServing) ? [] : [trouble];
  });
  const failure = failureOf(statefulSet);
  const missing: Trouble = {
    reason: 'NoPod',
    what: `It has ${pods.length} of ${replicas} pods: ${failure ?? 'the others cannot be made, or wait'}.`,
    todo: `kubectl describe statefulset -n ${namespace} ${name}`,
  };
  const isMissing = pods.length < replicas && (failure !== undefined || !isNew(statefulSet, now));
  const all = [...ofPods, ...(isMissing ? [missing] : [])];
  // One that starts has no BMCs before it acts.
  if (isServing || bmcs.length === 0 || [statefulSet, ...pods].every((one) => isNew(one, now))) return all;
  const idle: Trouble = {
    reason: 'NotActing',
    what: `No pod of it acts: ${served} not reached.`,
    todo: `Its log says why: kubectl logs -n ${namespace} -l ${LABELS.sharedAgent}=${name} --prefix`,
  };
  return [idle, ...all];
}

/** The shared agents, sorted by namespace and name. */
export function sharedAgentFacts({ bmcs, pods, statefulSets }: Inputs): SharedAgentFacts[] {
  const members = Map.groupBy(bmcs, (bmc) => `${bmc.metadata.namespace ?? ''}/${sharedAgentOf(bmc) ?? ''}`);
  const podsOf = Map.groupBy(pods, sharedAgentKey);
  const sets = new Map(statefulSets.map((set) => [sharedAgentKey(set), set]));
  const keys = [...members.keys(), ...sets.keys()].filter((key) => key !== undefined && !key.endsWith('/'));
  const facts = [...new Set(keys as string[])].map((key) => {
    const [namespace = '', name = ''] = key.split('/');
    const own = (members.get(key) ?? []).map(({ metadata }) => metadata.name);
    return { namespace, name, statefulSet: sets.get(key), pods: podsOf.get(key) ?? [], bmcs: own.toSorted() };
  });
  return facts.sort(byName);
}
