import { agentName, type Condition, type MediaStatus, type VirtualMachineBMC } from '../../api/index.ts';
import type { Agent, BmcFacts } from './bmc-facts.ts';
import type { Missing } from './inputs.ts';
import { failureOf, isUnread } from './managers.ts';
import { age, conditionTroubles, isEdited, isNew, leftToOther, type Now, type Trouble } from './problem.ts';
import { isRollingOut } from './rollouts.ts';
import { isDown, sharedAgentOf } from './shared-agents.ts';

/** What keeps a BMC from working. What is being made is no trouble for a while. */
export function bmcTroubles(facts: BmcFacts, agents: readonly Agent[], missing: Missing, now: Now): Trouble[] {
  const { bmc } = facts;
  const left = leftToOther(bmc.status?.conditions);
  if (left !== undefined) return [left];
  const conditions = bmc.status?.conditions?.filter((condition) => !isRollingOut(condition));
  const ofAgents = agentTroubles(facts, agents, missing, now);
  // A pod says more exactly what is wrong than the condition, which is old if the manager does not run.
  const isTold = (): boolean => ofAgents.length > 0 || isSharedDown(facts, missing, now);
  const replaced = ({ type, reason }: Condition): boolean =>
    type === 'AgentReady' && (isTold() || (reason === 'AgentNotReady' && start(agents, now)));
  return [
    ...conditionTroubles({ ...bmc, status: { conditions } }, now, { replaced }),
    ...ofAgents,
    ...serviceTroubles(facts, missing, now),
    ...(bmc.status?.virtualMedia ?? []).flatMap(mediaTroubles),
    ...generationTroubles(bmc, now),
  ];
}

function isSharedDown({ bmc, pods }: BmcFacts, missing: Missing, now: Now): boolean {
  return sharedAgentOf(bmc) !== undefined && isDown(pods, missing, now);
}

/** Whether all that remain are new. The manager sees a little later that one is ready. */
function start(agents: readonly Agent[], now: Now): boolean {
  const staying = agents.filter(({ pod }) => pod.metadata.deletionTimestamp === undefined);
  return staying.length > 0 && staying.every(({ pod }) => isNew(pod, now));
}

function agentTroubles(facts: BmcFacts, agents: readonly Agent[], missing: Missing, now: Now): Trouble[] {
  const { bmc } = facts;
  if (isUnread(missing, 'Pod') || !isServed(bmc) || sharedAgentOf(bmc) !== undefined) return [];
  const serves = agents.some(({ state }) => state.word === 'Ready');
  const troubles =
    agents.length === 0
      ? withoutPod(facts, missing, now)
      : agents.flatMap(({ state: { trouble, isMinor } }) =>
          trouble === undefined || (isMinor === true && serves) ? [] : [trouble],
        );
  const since = serves ? undefined : lastReport(bmc, agents);
  if (since === undefined) return troubles;
  const old = `Power, media and boot device in its status are ${age(now() - Date.parse(since))} old.`;
  return troubles.map((trouble, index) => (index === 0 ? { ...trouble, what: `${trouble.what} ${old}` } : trouble));
}

/** A second BMC of a VM, or one that was never seen, has no agent. */
function isServed({ status }: VirtualMachineBMC): boolean {
  return status?.conditions !== undefined && status.conditions.every(({ reason }) => reason !== 'VirtualMachineTaken');
}

function withoutPod({ bmc, deployment }: BmcFacts, missing: Missing, now: Now): Trouble[] {
  if (isUnread(missing, 'Deployment')) return [];
  const { namespace = '' } = bmc.metadata;
  const name = agentName(bmc.spec.virtualMachineRef.name);
  const failure = deployment && failureOf(deployment);
  if (failure === undefined && deployment?.spec?.replicas !== 0 && isNew(deployment ?? bmc, now)) return [];
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
      what: `It has no agent: ${failure ?? `Deployment ${name} has no pod`}.`,
      todo: `kubectl describe deployment -n ${namespace} ${name}`,
    },
  ];
}

/** Time until which an agent reported, RFC 3339; undefined: not known. */
function lastReport(bmc: VirtualMachineBMC, agents: readonly Agent[]): string | undefined {
  const named = agents.find(({ pod }) => pod.metadata.name === bmc.status?.agent?.name);
  const condition = bmc.status?.conditions?.find(({ type, status }) => type === 'AgentReady' && status === 'False');
  return named?.state.notReadySince ?? condition?.lastTransitionTime;
}

function serviceTroubles({ bmc, service }: BmcFacts, missing: Missing, now: Now): Trouble[] {
  const { namespace = '', name } = bmc.metadata;
  const claims = bmc.status?.conditions?.some(({ type, status }) => type === 'ServiceReady' && status === 'True');
  if (claims !== true || isUnread(missing, 'Service') || service !== undefined || isNew(bmc, now)) return [];
  const what = `Its Service ${agentName(bmc.spec.virtualMachineRef.name)} is gone: clients do not reach ${name}.`;
  return [
    {
      reason: 'ServiceMissing',
      what,
      todo: `The manager makes it again: see that one leads. kubectl get service -n ${namespace}`,
    },
  ];
}

function mediaTroubles({ slot, phase, image, message }: MediaStatus): Trouble[] {
  if (phase !== 'Failed' && phase !== 'Failing') return [];
  const what = `The image ${image ?? ''} could not be inserted into drive ${slot}: ${message ?? phase}`;
  return [
    { reason: 'MediaFailed', what, todo: 'Correct the URL or the image server, and let the client insert it again.' },
  ];
}

function generationTroubles(bmc: VirtualMachineBMC, now: Now): Trouble[] {
  const { generation = 0 } = bmc.metadata;
  const { observedGeneration = generation } = bmc.status ?? {};
  if (observedGeneration >= generation || isEdited(bmc, now)) return [];
  const what = `The manager does not know the newest spec: generation ${generation}; it has seen ${observedGeneration}.`;
  return [{ reason: 'SpecNotSeen', what, todo: 'If this stays, see that a manager leads, and its log.' }];
}
