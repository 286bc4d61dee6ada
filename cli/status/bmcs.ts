import {
  agentName,
  isBMCAction,
  LABELS,
  labelValue,
  powerStateOf,
  type MediaStatus,
  type VirtualMachineBMC,
} from '../../api/index.ts';
import type { Event, Pod } from '@groundcrew/controller-runtime';
import { timeOf } from './events.ts';
import type { Inputs } from './inputs.ts';
import { inputsOf } from './inputs-of.ts';
import { failureOf, isUnread } from './managers.ts';
import type { Action, BmcStatus, Problem } from './overview.ts';
import { byName, inOrder } from './overview-order.ts';
import { podState, type PodState } from './pod-state.ts';
import { age, conditionTroubles, leftToOther, type Trouble } from './problem.ts';
import { isRollingOut } from './rollouts.ts';
import { actingOf, isDown, sharedAgentKey, sharedAgentOf } from './shared-agents.ts';

/** One row per BMC, sorted by namespace and name. */
export function evaluateBmcs(all: Inputs): BmcStatus[] {
  const inputsFor = inputsOf(all);
  return inOrder(
    'bmcs',
    all.bmcs.map((bmc): BmcStatus => {
      const { metadata, spec, status } = bmc;
      const inputs = inputsFor(bmc);
      const [lastAction] = actionsOf(bmc, inputs.events);
      return {
        namespace: metadata.namespace ?? '',
        name: metadata.name,
        virtualMachine: spec.virtualMachineRef.name,
        power: powerOf(bmc, inputs),
        ipmi: status?.endpoints?.ipmi ?? '-',
        redfish: status?.endpoints?.redfish ?? '-',
        ...shownAgent(bmc, inputs),
        phase: status?.phase ?? 'Unseen',
        ...(lastAction === undefined ? {} : { lastAction }),
      };
    }),
  );
}

function powerOf({ metadata, spec }: VirtualMachineBMC, inputs: Inputs): string {
  const isOurs = (object: { metadata: { namespace?: string; name: string } }): boolean =>
    object.metadata.namespace === metadata.namespace && object.metadata.name === spec.virtualMachineRef.name;
  const vm = inputs.virtualMachines.find(isOurs);
  if (vm !== undefined) return powerStateOf(vm, inputs.instances.find(isOurs));
  return isUnread(inputs, 'VirtualMachine') || inputs.absent.includes('VirtualMachine') ? '?' : 'missing';
}

/** The actions that clients requested, the newest first. */
export function actionsOf(bmc: VirtualMachineBMC, events: readonly Event[]): Action[] {
  return events
    .filter((event) => event.involvedObject.uid === bmc.metadata.uid && isBMCAction(event.reason ?? ''))
    .map((event) => ({
      time: timeOf(event),
      reason: event.reason ?? '',
      message: event.message ?? '',
    }))
    .sort((a, b) => b.time.localeCompare(a.time));
}

/** What keeps BMCs from working. */
export function bmcProblems(inputs: Inputs): Problem[] {
  const inputsFor = inputsOf(inputs);
  const problems = inputs.bmcs
    .toSorted((a, b) => byName(a.metadata, b.metadata))
    .flatMap((bmc) => {
      const { namespace = '', name } = bmc.metadata;
      return troublesOf(bmc, inputsFor(bmc)).map((trouble) => ({
        kind: 'VirtualMachineBMC',
        namespace,
        name,
        ...trouble,
      }));
    });
  return [...problems, ...requestProblems(inputs)];
}

/** Virtual machines that request a BMC and have none. What is wrong with a BMC is listed there. */
function requestProblems({ virtualMachines, bmcs }: Inputs): Problem[] {
  const served = new Set(
    bmcs.map(({ metadata, spec }) => `${metadata.namespace ?? ''}/${spec.virtualMachineRef.name}`),
  );
  return virtualMachines.flatMap(({ metadata: { namespace = '', name, labels = {} } }) =>
    labels[LABELS.bmcState] !== 'Failed' || served.has(`${namespace}/${name}`)
      ? []
      : {
          ...{ kind: 'VirtualMachine', namespace, name, reason: 'BMCNotCreated' },
          what: 'It requests a BMC, and none could be made.',
          todo: `An Event says why: kubectl events -n ${namespace} --for vm/${name}`,
        },
  );
}

function troublesOf(bmc: VirtualMachineBMC, inputs: Inputs): Trouble[] {
  const left = leftToOther(bmc.status?.conditions);
  if (left !== undefined) return [left];
  const conditions = bmc.status?.conditions?.filter((condition) => !isRollingOut(condition));
  const agent = agentTroubles(bmc, inputs);
  // A pod says more exactly what is wrong than the condition, which is old if the manager does not run.
  const shared = sharedAgentOf(bmc);
  const isTold = agent.length > 0 || (shared !== undefined && isDown(shared, inputs.pods, inputs));
  const replaced = isTold ? ['AgentReady'] : [];
  return [
    ...conditionTroubles(conditions, { replaced }),
    ...agent,
    ...serviceTroubles(bmc, inputs),
    ...(bmc.status?.virtualMedia ?? []).flatMap(mediaTroubles),
    ...generationTroubles(bmc),
  ];
}

function agentTroubles(bmc: VirtualMachineBMC, inputs: Inputs): Trouble[] {
  if (isUnread(inputs, 'Pod') || !isServed(bmc) || sharedAgentOf(bmc) !== undefined) return [];
  const agents = agentsOf(bmc, inputs);
  const serves = agents.some(({ state }) => state.word === 'Ready');
  const troubles =
    agents.length === 0
      ? withoutPod(bmc, inputs)
      : agents.flatMap(({ state: { trouble, isMinor } }) =>
          trouble === undefined || (isMinor === true && serves) ? [] : [trouble],
        );
  const since = serves ? undefined : lastReport(bmc, agents);
  if (since === undefined) return troubles;
  const old = `Power, media and boot device in its status are ${age(inputs.now - Date.parse(since))} old.`;
  return troubles.map((trouble, index) => (index === 0 ? { ...trouble, what: `${trouble.what} ${old}` } : trouble));
}

/** A second BMC of a VM, or one that was never seen, has no agent. */
function isServed({ status }: VirtualMachineBMC): boolean {
  return status?.conditions !== undefined && status.conditions.every(({ reason }) => reason !== 'VirtualMachineTaken');
}

function withoutPod(bmc: VirtualMachineBMC, inputs: Inputs): Trouble[] {
  if (isUnread(inputs, 'Deployment')) return [];
  const { namespace = '' } = bmc.metadata;
  const name = agentName(bmc.spec.virtualMachineRef.name);
  const deployment = inputs.deployments.find(
    (one) => one.metadata.namespace === namespace && one.metadata.name === name,
  );
  const look = `kubectl describe deployment -n ${namespace} ${name}`;
  if (deployment === undefined)
    return [
      {
        reason: 'NoAgent',
        what: `It has no agent: there is no Deployment ${name}.`,
        todo: 'The manager makes it: see that one leads.',
      },
    ];
  if (deployment.spec?.replicas === 0)
    return [
      {
        reason: 'ScaledToZero',
        what: `It has no agent: Deployment ${name} is scaled to 0.`,
        todo: `kubectl scale -n ${namespace} deployment ${name} --replicas=1`,
      },
    ];
  return [
    {
      reason: 'NoPod',
      what: `It has no agent: ${failureOf(deployment) ?? `Deployment ${name} has no pod`}.`,
      todo: look,
    },
  ];
}

/** Time until which an agent reported, RFC 3339; undefined: not known. */
function lastReport(bmc: VirtualMachineBMC, agents: readonly Agent[]): string | undefined {
  const named = agents.find(({ pod }) => pod.metadata.name === bmc.status?.agent?.name);
  const condition = bmc.status?.conditions?.find(({ type, status }) => type === 'AgentReady' && status === 'False');
  return named?.state.notReadySince ?? condition?.lastTransitionTime;
}

function serviceTroubles(bmc: VirtualMachineBMC, inputs: Inputs): Trouble[] {
  const { namespace = '', name } = bmc.metadata;
  const claims = bmc.status?.conditions?.some(({ type, status }) => type === 'ServiceReady' && status === 'True');
  if (claims !== true || isUnread(inputs, 'Service') || serviceOf(bmc, inputs) !== undefined) return [];
  const what = `Its Service ${agentName(bmc.spec.virtualMachineRef.name)} is gone: clients do not reach ${name}.`;
  return [
    {
      reason: 'ServiceMissing',
      what,
      todo: `The manager makes it again: see that one leads. kubectl get service -n ${namespace}`,
    },
  ];
}

export function serviceOf(bmc: VirtualMachineBMC, { services }: Inputs): Inputs['services'][number] | undefined {
  return services.find((service) => isOf(bmc, service));
}

function mediaTroubles({ slot, phase, image, message }: MediaStatus): Trouble[] {
  if (phase !== 'Failed' && phase !== 'Failing') return [];
  const what = `The image ${image ?? ''} could not be inserted into drive ${slot}: ${message ?? phase}`;
  return [
    { reason: 'MediaFailed', what, todo: 'Correct the URL or the image server, and let the client insert it again.' },
  ];
}

function generationTroubles({ metadata, status }: VirtualMachineBMC): Trouble[] {
  const { generation = 0 } = metadata;
  const { observedGeneration = generation } = status ?? {};
  if (observedGeneration >= generation) return [];
  const what = `The manager does not know the newest spec: generation ${generation}; it has seen ${observedGeneration}.`;
  return [{ reason: 'SpecNotSeen', what, todo: 'If this stays, see that a manager leads, and its log.' }];
}

/** A pod of an agent. */
export interface Agent {
  pod: Pod;
  state: PodState;
}

/** The agents of a BMC that serve or start, and those that failed if there is no other. */
export function agentsOf(bmc: VirtualMachineBMC, { pods, now }: Inputs): Agent[] {
  const shared = sharedAgentOf(bmc);
  const isShared = (pod: Pod): boolean =>
    shared !== undefined && sharedAgentKey(pod) === `${bmc.metadata.namespace ?? ''}/${shared}`;
  const all = pods
    .filter((pod) => (shared === undefined ? isOf(bmc, pod) : isShared(pod)))
    .map((pod) => ({ pod, state: podState(pod, now) }));
  const current = all.filter(({ pod }) => !['Failed', 'Succeeded'].includes(pod.status?.phase ?? ''));
  return current.length > 0 ? current : all;
}

/** The agent that acts, else the one with the problem. */
function shownAgent(bmc: VirtualMachineBMC, inputs: Inputs): Pick<BmcStatus, 'agent' | 'agentState' | 'restarts'> {
  const agents = agentsOf(bmc, inputs);
  const named = bmc.status?.agent?.name;
  const shared = sharedAgentOf(bmc);
  const acting = actingOf(
    agents.map(({ pod }) => pod),
    inputs.now,
  )?.metadata.name;
  const shown =
    agents.find(({ pod }) => pod.metadata.name === (shared === undefined ? named : acting)) ??
    agents.find(({ state }) => state.trouble !== undefined) ??
    agents[0];
  if (shown === undefined) return { agent: named ?? '-', agentState: isUnread(inputs, 'Pod') ? '?' : '-', restarts: 0 };
  const { pod, state } = shown;
  // Of a shared agent each pod may be Ready, and none may act.
  const word = shared !== undefined && acting === undefined && state.word === 'Ready' ? 'NotActing' : state.word;
  return { agent: shared ?? pod.metadata.name, agentState: word, restarts: state.restarts };
}

function isOf({ metadata }: VirtualMachineBMC, object: { metadata: Pod['metadata'] }): boolean {
  return (
    object.metadata.namespace === metadata.namespace &&
    object.metadata.labels?.[LABELS.component] === 'bmc-agent' &&
    object.metadata.labels[LABELS.bmc] === labelValue(metadata.name)
  );
}
