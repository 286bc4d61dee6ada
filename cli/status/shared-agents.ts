import { ANNOTATIONS, LABELS, sharedAgentIndex, type VirtualMachineBMC } from '../../api/index.ts';
import type { KubeObject, Pod, StatefulSet } from '@groundcrew/controller-runtime';
import type { Inputs } from './inputs.ts';
import { failureOf, isUnread } from './managers.ts';
import { podState } from './pod-state.ts';
import type { Problem, SharedAgentStatus } from './overview.ts';
import { byName } from './overview-order.ts';
import type { Trouble } from './problem.ts';

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
export function actingOf(pods: readonly Pod[], now: number): Pod | undefined {
  return pods.find((pod) => pod.metadata.labels?.[LABELS.acting] === 'true' && podState(pod, now).word === 'Ready');
}

interface Facts {
  namespace: string;
  name: string;
  statefulSet: StatefulSet | undefined;
  pods: readonly Pod[];
  bmcs: string[];
}

/** One row per shared agent, sorted by namespace and name. */
export function evaluateSharedAgents(inputs: Inputs): SharedAgentStatus[] {
  return factsOf(inputs).map(({ namespace, name, statefulSet, pods, bmcs }) => {
    const ready = pods.filter((pod) => podState(pod, inputs.now).word === 'Ready').length;
    const capacity = statefulSet?.metadata.annotations?.[ANNOTATIONS.sharedAgentCapacity];
    return {
      ...{ namespace, name, bmcs },
      ...(capacity === undefined ? {} : { capacity }),
      acting: actingOf(pods, inputs.now)?.metadata.name ?? '-',
      ready: isUnread(inputs, 'Pod') ? '?' : `${ready}/${statefulSet?.spec?.replicas ?? '?'}`,
    };
  });
}

/** What keeps shared agents from serving, and what keeps a second pod from standing by. It is listed once for all BMCs of an agent. */
export function sharedAgentProblems(inputs: Inputs): Problem[] {
  if (isUnread(inputs, 'Pod') || isUnread(inputs, 'StatefulSet')) return [];
  return factsOf(inputs).flatMap((facts) => {
    const { namespace, name } = facts;
    return troublesOf(facts, inputs.now).map((trouble) => ({ kind: 'StatefulSet', namespace, name, ...trouble }));
  });
}

/** Whether a problem of the agent itself says why its BMCs are not reached. */
export function isDown(agent: string, pods: readonly Pod[], inputs: Inputs): boolean {
  const isKnown = !isUnread(inputs, 'Pod') && !isUnread(inputs, 'StatefulSet');
  const own = pods.filter(({ metadata }) => metadata.labels?.[LABELS.sharedAgent] === agent);
  return isKnown && actingOf(own, inputs.now) === undefined;
}

function troublesOf(facts: Facts, now: number): Trouble[] {
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
  const missing: Trouble = {
    reason: 'NoPod',
    what: `It has ${pods.length} of ${replicas} pods: ${failureOf(statefulSet) ?? 'the others cannot be made, or wait'}.`,
    todo: `kubectl describe statefulset -n ${namespace} ${name}`,
  };
  const all = [...ofPods, ...(pods.length < replicas ? [missing] : [])];
  // One that starts has no BMCs before it acts.
  if (isServing || bmcs.length === 0) return all;
  const idle: Trouble = {
    reason: 'NotActing',
    what: `No pod of it acts: ${served} not reached.`,
    todo: `Its log says why: kubectl logs -n ${namespace} -l ${LABELS.sharedAgent}=${name} --prefix`,
  };
  return [idle, ...all];
}

function factsOf({ bmcs, pods, statefulSets }: Inputs): Facts[] {
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
