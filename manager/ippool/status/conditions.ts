import {
  ALLOWED_POOL_NAMESPACES_ANNOTATION,
  IP_POOL_CONDITIONS,
  isDeclined,
  type IPLease,
} from '../../../api/index.ts';
import type { PoolInputs, AgentFact } from './inputs.ts';
import type { Usage } from './usage.ts';
import { holds, holdsNot, type ConditionResult } from '../../conditions.ts';
import { REASONS } from './reasons.ts';
import { isPodReady, podTrouble } from '../../agent-workload/index.ts';

const { agentReady: AGENT_READY, cacheReady: CACHE_READY, registered: REGISTERED, ready: READY } = IP_POOL_CONDITIONS;
const { agentSettingsApplied: AGENT_SETTINGS_APPLIED } = IP_POOL_CONDITIONS;

/** The result of each condition of a pool. */
export type ConditionResults = Record<
  Exclude<(typeof IP_POOL_CONDITIONS)[keyof typeof IP_POOL_CONDITIONS], typeof AGENT_SETTINGS_APPLIED>,
  ConditionResult
> & { [AGENT_SETTINGS_APPLIED]?: ConditionResult };

export function resultsOf(inputs: PoolInputs): ConditionResults {
  const needed = {
    [REGISTERED]: registered(inputs),
    [CACHE_READY]: cacheReady(inputs),
    [AGENT_READY]: agentReady(inputs),
  };
  return {
    ...needed,
    [IP_POOL_CONDITIONS.stopped]: stopped(inputs),
    [READY]: ready([needed[REGISTERED], needed[CACHE_READY], needed[AGENT_READY]], inputs),
    [IP_POOL_CONDITIONS.exhausted]: exhausted(inputs),
    [IP_POOL_CONDITIONS.conflictDetected]: conflictDetected(inputs),
    ...(inputs.agentSettings === undefined ? {} : { [AGENT_SETTINGS_APPLIED]: inputs.agentSettings }),
  };
}

/** Whether a user has paused the pool. */
function stopped({ pool }: PoolInputs): ConditionResult {
  return pool.spec.paused === true
    ? holds(REASONS.paused, 'spec.paused is set: agents answer no client, and all leases are kept.')
    : holdsNot(REASONS.notPaused, 'The pool is not paused.');
}

const CONTESTED =
  'Another controller undoes again and again what the manager writes to the status of this pool, so the manager writes it more and more seldom. ' +
  'If vm-dhcp-controller runs, stop it; else see who else writes: kubectl get --show-managed-fields.';

/** Whether the pool is fully working; otherwise the first problem. */
function ready(needed: readonly ConditionResult[], { pool, isContested }: PoolInputs): ConditionResult {
  if (isContested) return holdsNot(REASONS.contested, CONTESTED);
  if (pool.spec.paused === true) return holdsNot(REASONS.paused, 'The pool is paused. Take spec.paused off.');
  const blocked = needed.find(({ status }) => status !== 'True');
  if (blocked !== undefined) return holdsNot(blocked.reason, blocked.message);
  return holds(REASONS.ready, 'The pool has addresses, and agents answer its clients.');
}

function exhausted({ usage }: PoolInputs): ConditionResult {
  if (usage === undefined || usage.available > 0)
    return holdsNot(REASONS.addressesAvailable, 'There are free addresses.');
  return holds(REASONS.exhausted, exhaustion(usage));
}

function exhaustion({ total, used, resting, nextFree }: Usage): string {
  const all = `All ${total} addresses are taken`;
  if (resting === 0) return `${all}. Widen spec.ipv4Config.pool, or delete configs that need no address.`;
  const first = nextFree === undefined ? '' : ` (the first at ${nextFree})`;
  return (
    `${all}: ${used} are leased, and ${resting} rest: their VMs need them no longer, but the leases of their clients have not expired${first}. ` +
    'Widen spec.ipv4Config.pool, or delete the IPLeases in state Resting whose clients are gone for good; a shorter leaseTime shortens later rests.'
  );
}

function conflictDetected({ usage }: PoolInputs): ConditionResult {
  const { declined = [], quarantined = [] } = usage ?? {};
  const [first] = quarantined;
  const inUse = `Another machine on the network uses ${listOf(declined)}. Find that machine and change its address, or add the address to exclude.`;
  const notLeased =
    `In quarantine for a day, because another machine uses them: ${listOf(quarantined)}. ` +
    `Find that machine. To end a quarantine: kubectl delete iplease -n ${first?.metadata.namespace ?? ''} ${first?.metadata.name ?? ''}`;
  const told = [...(declined.length === 0 ? [] : [inUse]), ...(first === undefined ? [] : [notLeased])];
  if (told.length === 0) return holdsNot(REASONS.noConflict, 'No other machine uses an address of the pool.');
  return holds(REASONS.addressInUse, told.join(' '));
}

/** Whether the pool has usable addresses and a network. */
function registered(inputs: PoolInputs): ConditionResult {
  return (
    ownFault(inputs) ?? networkFault(inputs) ?? holds(REASONS.registered, `The pool serves ${networkName(inputs)}.`)
  );
}

/** Problems that only a change of this pool or of another pool can resolve. */
function ownFault({ pool, problems, standing }: PoolInputs): ConditionResult | undefined {
  const [problem] = problems;
  if (problem !== undefined)
    return holdsNot(REASONS.specInvalid, `${problem.field} ${problem.value} ${problem.message}. Correct it.`);
  if (pool.spec.ipv4Config === undefined)
    return holdsNot(REASONS.noAddresses, 'The pool has no spec.ipv4Config, so it has no addresses.');
  if (standing.holds || standing.conflict === undefined) return undefined;
  const { field, value, message } = standing.conflict;
  return holdsNot(
    REASONS.addressesTaken,
    `${field} ${value} ${message}, which is older. Change the addresses of one of the two, or delete it; this one gives none until then.`,
  );
}

function networkFault(inputs: PoolInputs): ConditionResult | undefined {
  const { attachment, attachmentProblem } = inputs;
  if (attachment === 'MultusAbsent')
    return holdsNot(
      REASONS.multusNotInstalled,
      'The cluster has no NetworkAttachmentDefinitions. Install Multus; the pool becomes ready then.',
    );
  if (attachment === 'Missing')
    return holdsNot(
      REASONS.networkNotFound,
      `There is no ${networkName(inputs)}, or not where the manager looks. Create it; the pool becomes ready then.`,
    );
  if (!inputs.isAllowed)
    return holdsNot(
      REASONS.namespaceNotAllowed,
      `The ${networkName(inputs)} does not let pools of namespace ${inputs.pool.metadata.namespace ?? ''} serve it. ` +
        `Its owner can allow them by the annotation ${ALLOWED_POOL_NAMESPACES_ANNOTATION}, a list of namespaces. Until then the pool gives no addresses.`,
    );
  if (attachmentProblem === undefined) return undefined;
  return holdsNot(attachmentProblem.reason, `The ${networkName(inputs)} ${attachmentProblem.message}`);
}

function networkName({ network }: PoolInputs): string {
  return `NetworkAttachmentDefinition ${network}`;
}

/** Whether the manager has read the pool's leases, and whether the pool could still lease all of their addresses. */
function cacheReady({ leasesRead, usage }: PoolInputs): ConditionResult {
  if (!leasesRead) return holdsNot(REASONS.leasesUnread, 'The leases have not been read yet.');
  if (usage === undefined) return holdsNot(REASONS.noAddresses, 'See Registered.');
  if (usage.outside.length > 0)
    return holds(
      REASONS.leasesOutsidePool,
      `Leased, but no longer in the pool: ${listOf(usage.outside)}. ` +
        'They are kept until they are released, and are not leased again.',
    );
  return holds(REASONS.cacheReady, 'The leases of the pool are known.');
}

const NAMED = 5;

/**
 * `10.0.0.7 (52:54:00:00:00:07, VirtualMachine vms/web, in conflict with 52:54:00:00:00:99), …` for up to five leases, and the
 * number of the others.
 */
function listOf(leases: readonly IPLease[]): string {
  const named = leases.slice(0, NAMED).map((lease) => {
    const { ipAddress, macAddress, vmRef } = lease.spec;
    const vm = vmRef === undefined ? '' : `, VirtualMachine ${vmRef.namespace ?? ''}/${vmRef.name}`;
    const other = isDeclined(lease) ? lease.status?.conflictingMAC : undefined;
    return `${ipAddress} (${macAddress}${vm}${other === undefined ? '' : `, in conflict with ${other}`})`;
  });
  const more = leases.length - named.length;
  return more === 0 ? named.join(', ') : `${named.join(', ')} and ${more} more`;
}

/** Whether at least one agent answers the pool's clients. */
function agentReady(inputs: PoolInputs): ConditionResult {
  const { pool, agents, report } = inputs;
  const answering = agents.filter(({ isReady }) => isReady);
  const silent = agents.find(({ isReady }) => !isReady);
  if (answering.length > 0) {
    if (silent === undefined) return holds(REASONS.agentReady, answers(answering));
    const message = `${answering.length} of ${agents.length} agents answer. ${troubleOf(silent, inputs)}${waiting(inputs)}`;
    return holds(REASONS.agentsDegraded, message);
  }
  if (pool.spec.paused === true) return holdsNot(REASONS.paused, 'The pool is paused.');
  if (registered(inputs).status !== 'True') return holdsNot(REASONS.notServed, 'See Registered.');
  if (silent === undefined) return holdsNot(REASONS.agentPending, 'The pool has no agent yet.');
  const reason = report.refusals.length > 0 ? REASONS.agentRefused : undefined;
  const otherwise = silent.pod === undefined ? REASONS.agentPending : REASONS.agentNotReady;
  return holdsNot(reason ?? otherwise, troubleOf(silent, inputs));
}

function answers(agents: readonly AgentFact[]): string {
  return agents.map(({ pod, serverIP }) => `Agent ${pod?.metadata.name ?? ''} answers as ${serverIP}.`).join(' ');
}

/** Agents whose roll-out would leave no agent to answer. */
function waiting({ report: { held } }: PoolInputs): string {
  return held.length === 0 ? '' : ' The others are changed when it answers.';
}

/** Why an agent does not answer, from the most specific source. */
function troubleOf({ pod, deployment, serverIP }: AgentFact, { report }: PoolInputs): string {
  const [refusal] = report.refusals;
  if (refusal !== undefined) return `${refusal.object} ${refusal.message}`;
  if (pod === undefined) {
    const failure = deployment?.status?.conditions?.find(
      ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
    );
    if (failure !== undefined)
      return `The pod of the agent for ${serverIP} cannot be made: ${failure.message ?? failure.reason ?? ''}`;
    return `The agent for ${serverIP} is being made.`;
  }
  const said = podTrouble(pod);
  const name = `Agent ${pod.metadata.name} for ${serverIP}`;
  if (pod.metadata.deletionTimestamp !== undefined) return `${name} ends.`;
  if (said !== '') return `${name} is not ready: ${said}`;
  return isPodReady(pod) ? `${name} does not know this pool's address yet.` : `${name} starts, or does not answer.`;
}
