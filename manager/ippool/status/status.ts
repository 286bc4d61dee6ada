import { isDeepStrictEqual } from 'node:util';
import type { IPPoolStatus } from '../../../api/index.ts';
import { timestamp } from '@groundcrew/controller-runtime';
import { conditionsOf } from '../../conditions.ts';
import { agentImage } from '../../agent-workload/index.ts';
import { resultsOf, type ConditionResults } from './conditions.ts';
import type { AgentFact, PoolInputs } from './inputs.ts';
import { REASONS } from './reasons.ts';

/**
 * The complete status of a pool: an apply removes the fields that it leaves out.
 *
 * @param before the last written status
 * @param now milliseconds since 1970
 */
export function statusOf(inputs: PoolInputs, before: IPPoolStatus | undefined, now: number): IPPoolStatus {
  const { pool, agents } = inputs;
  const results = resultsOf(inputs);
  const observedGeneration = pool.metadata.generation ?? 0;
  const status: IPPoolStatus = {
    phase: phaseOf(results, before?.phase),
    observedGeneration,
    ...usageIn(inputs),
    ...podIn(agents),
    ...(agents.length === 0 ? {} : { agents: agents.map(agentEntry) }),
    conditions: conditionsOf(results, before?.conditions, observedGeneration, now),
  };
  const { lastUpdate, ...rest } = before ?? {};
  const isSame = lastUpdate !== undefined && isDeepStrictEqual(rest, status);
  return { ...status, lastUpdate: isSame ? lastUpdate : timestamp(now) };
}

function usageIn({ usage, ntpServers }: PoolInputs): Pick<IPPoolStatus, 'ipv4'> {
  if (usage === undefined) return {};
  const { allocated, truncated, used, available, total, resting, nextFree } = usage;
  return {
    ipv4: {
      ...(Object.keys(allocated).length === 0 ? {} : { allocated }),
      ...(truncated ? { allocatedTruncated: true } : {}),
      used,
      available,
      total,
      resting,
      ...(nextFree === undefined ? {} : { nextFree }),
      ...(ntpServers.length === 0 ? {} : { ntpServers: [...ntpServers] }),
    },
  };
}

/** The pod of the first agent that has one, as in vm-dhcp-controller. */
function podIn(agents: readonly AgentFact[]): Pick<IPPoolStatus, 'agentPodRef'> {
  const pod = agents.find(({ pod }) => pod !== undefined)?.pod;
  if (pod === undefined) return {};
  const { namespace = '', name, uid } = pod.metadata;
  const image = agentImage(pod);
  return {
    agentPodRef: {
      namespace,
      name,
      ...(image === undefined ? {} : { image }),
      ...(uid === undefined ? {} : { uid }),
    },
  };
}

function agentEntry({ serverIP, pod, isReady }: AgentFact): NonNullable<IPPoolStatus['agents']>[number] {
  const node = pod?.spec?.nodeName;
  return {
    serverIP,
    ready: isReady,
    ...(pod === undefined ? {} : { name: pod.metadata.name }),
    ...(node === undefined ? {} : { node }),
  };
}

type Phase = NonNullable<IPPoolStatus['phase']>;

/** Reasons that only a user can resolve. */
const FINAL = new Set<string>([
  REASONS.specInvalid,
  REASONS.noAddresses,
  REASONS.addressesTaken,
  REASONS.namespaceNotAllowed,
  REASONS.networkInvalid,
  REASONS.networkNotSupported,
  REASONS.networkHasIPAM,
]);

/**
 * The phase, a one-word summary:
 * - `Paused`: paused by a user.
 * - `Ready`: the pool leases addresses, and every agent answers.
 * - `Degraded`: it was Ready and is not, or one of its agents does not answer.
 * - `Failed`: it cannot work until a user changes something.
 * - `Pending`: its network does not exist yet, or vm-dhcp-controller still serves it (`left-status.ts`).
 * - `Provisioning`: its agents are being created.
 */
export function phaseOf(results: ConditionResults, before: Phase | undefined): Phase {
  const { Stopped, Ready, AgentReady, Registered } = results;
  if (Stopped.status === 'True') return 'Paused';
  if (FINAL.has(Registered.reason)) return 'Failed';
  if (Ready.status === 'True') return AgentReady.reason === REASONS.agentsDegraded ? 'Degraded' : 'Ready';
  if (before === 'Ready' || before === 'Degraded') return 'Degraded';
  return Registered.status === 'True' ? 'Provisioning' : 'Pending';
}
