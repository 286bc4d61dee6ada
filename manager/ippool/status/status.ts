import { isDeepStrictEqual } from 'node:util';
import type { Condition, IPPoolStatus } from '../../../api/index.ts';
import { setCondition, timestamp } from '@groundcrew/controller-runtime';
import { AGENT_CONTAINER } from '../agents/children/deployment.ts';
import { findingsOf, type Findings } from './conditions.ts';
import type { AgentFact, PoolFacts } from './facts.ts';
import { phaseOf } from './phase.ts';

/**
 * The status of a pool, whole: an apply takes away what it leaves out.
 *
 * @param before as it was last written
 * @param now milliseconds since 1970
 */
export function statusOf(facts: PoolFacts, before: IPPoolStatus | undefined, now: number): IPPoolStatus {
  const { pool, agents } = facts;
  const findings = findingsOf(facts);
  const observedGeneration = pool.metadata.generation ?? 0;
  const status: IPPoolStatus = {
    phase: phaseOf(findings, before?.phase),
    observedGeneration,
    ...usageIn(facts),
    ...podIn(agents),
    ...(agents.length === 0 ? {} : { agents: agents.map(agentEntry) }),
    conditions: conditionsOf(findings, before, observedGeneration, now),
  };
  const { lastUpdate, ...rest } = before ?? {};
  const isSame = lastUpdate !== undefined && isDeepStrictEqual(rest, status);
  return { ...status, lastUpdate: isSame ? lastUpdate : timestamp(now) };
}

function usageIn({ usage, ntpServers }: PoolFacts): Pick<IPPoolStatus, 'ipv4'> {
  if (usage === undefined) return {};
  const { allocated, truncated, used, available, total } = usage;
  return {
    ipv4: {
      ...(Object.keys(allocated).length === 0 ? {} : { allocated: { ...allocated } }),
      ...(truncated ? { allocatedTruncated: true } : {}),
      used,
      available,
      total,
      ...(ntpServers.length === 0 ? {} : { ntpServers: [...ntpServers] }),
    },
  };
}

/** The pod of the first agent that has one, as vm-dhcp-controller's users know it. */
function podIn(agents: readonly AgentFact[]): Pick<IPPoolStatus, 'agentPodRef'> {
  const pod = agents.find(({ pod }) => pod !== undefined)?.pod;
  if (pod === undefined) return {};
  const { namespace = '', name, uid } = pod.metadata;
  const image = pod.spec?.containers.find((container) => container.name === AGENT_CONTAINER)?.image;
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

function conditionsOf(
  findings: Findings,
  before: IPPoolStatus | undefined,
  observedGeneration: number,
  now: number,
): Condition[] {
  const own = before?.conditions?.filter(({ type }) => type in findings) ?? [];
  return Object.entries(findings).reduce<Condition[]>(
    (conditions, [type, finding]) => setCondition(conditions, { type, ...finding, observedGeneration }, now),
    own,
  );
}
