import {
  addressSpaceOf,
  formatIpv4,
  IP_POOL_CONDITIONS,
  NETWORK_ATTACHMENT_DEFINITIONS,
  standingOf,
  type IPPool,
  type PoolProblem,
  type Standing,
  type AddressSpace,
} from '../../../api/index.ts';
import {
  ApiError,
  findCondition,
  type Deployment,
  type Pod,
  type KubeClient,
  type ObjectRef,
} from '@groundcrew/controller-runtime';
import { attachmentConfig, type AttachmentProblem } from '../agents/children/attachment-config.ts';
import { attachmentFact, podsOf, type AttachmentFact } from '../agents/inputs.ts';
import type { NetworkReport, NetworkReports } from '../agents/reports.ts';
import type { Usage } from './usage.ts';
import { networkOfPool, networkRef, type NetworkCaches } from '../../networks/index.ts';
import type { AgentSettings } from '../../agent-workload/index.ts';
import type { ConditionResult } from '../../conditions.ts';
import { agentSettingsApplied } from './agent-settings.ts';
import { ADDRESSES_ANNOTATION, POOL_NAMESPACES_ANNOTATION } from '../agents/children/deployment.ts';
import { indexOf, isReady, podOf } from '../agents/identity.ts';
import { addressOf, membersOf } from '../agents/wanted-agents.ts';
import { BY_NETWORK_MADE_FOR, type AgentCaches } from '../caches.ts';
import { REASONS } from './reasons.ts';

/** All inputs for one pool, read at one time. */
export interface PoolInputs {
  pool: IPPool;
  /** `namespace/name` of its net-attach-def. */
  network: string;
  /** Problems in its spec. */
  problems: readonly PoolProblem[];
  /** Whether the network's owner lets the pool serve it. */
  isAllowed: boolean;
  standing: Standing;
  /** Whether the agents follow `spec.agent`; undefined if it has none. */
  agentSettings: ConditionResult | undefined;
  attachment: AttachmentFact;
  /** Why agents cannot serve the network. */
  attachmentProblem: AttachmentProblem | undefined;
  /** One per server address of the pool, in that order. */
  agents: readonly AgentFact[];
  report: NetworkReport;
  /** Agents of vm-dhcp-controller that serve the network. */
  otherAgents: readonly Pod[];
  /** Another controller undoes the manager's writes of the status again and again. */
  isContested: boolean;
  /** Whether the leases have been read. */
  leasesRead: boolean;
  /** Undefined if the pool has no addresses. */
  usage: Usage | undefined;
  /** The known addresses of `spec.ipv4Config.ntp`. */
  ntpServers: readonly string[];
}

export interface AgentFact {
  serverIP: string;
  pod: Pod | undefined;
  deployment: Deployment | undefined;
  /** The agent is Ready and was started with this pool's address. */
  isReady: boolean;
}

export interface PoolSources {
  client: KubeClient;
  caches: NetworkCaches;
  agentCaches: AgentCaches;
  reports: NetworkReports;
  /** The installation's settings for all agents. */
  agents: AgentSettings;
}

/** Reads all inputs for one pool from caches. Asks the API server only whether a network that the caches do not have exists. */
export async function loadInputs(
  pool: IPPool,
  usage: Usage | undefined,
  ntpServers: readonly string[],
  { client, caches, agentCaches, reports, agents }: PoolSources,
): Promise<PoolInputs> {
  const network = networkOfPool(pool);
  const ref = networkRef(network);
  const pools = caches.poolsOn(network);
  const isAllowed = caches.mayServe(pool);
  const standing: Standing = isAllowed ? standingOf(pool, pools) : { holds: false };
  const cached = attachmentFact(ref, caches);
  const attachment = cached === 'Missing' ? await missing(pool, ref, client) : cached;
  const served = standing.holds ? standing.space : undefined;
  const pods = podsOf(ref, agentCaches);
  const deployments = agentCaches.deployments.byIndex(BY_NETWORK_MADE_FOR, network);
  return {
    pool,
    network,
    problems: addressSpaceOf(pool.spec).problems,
    isAllowed,
    standing,
    agentSettings: agentSettingsApplied(pool, membersOf(pools), agents),
    attachment,
    attachmentProblem: problemOf(attachment),
    agents: (served?.servers ?? []).map((server, index): AgentFact => ({
      serverIP: formatIpv4(server),
      pod: podOf(index, pods),
      deployment: deployments.find((deployment) => indexOf(deployment) === index),
      isReady: served !== undefined && serves(podOf(index, pods), pool, served, index),
    })),
    report: reports.read(network),
    otherAgents: caches.otherAgentsOn(network),
    isContested: false,
    leasesRead: caches.leases.hasSynced,
    usage,
    ntpServers,
  };
}

/** A pool may be seen before the network that was created with it. Ask the server once before the network is reported as missing. */
async function missing({ status }: IPPool, ref: ObjectRef, client: KubeClient): Promise<AttachmentFact> {
  const before = findCondition(status?.conditions, IP_POOL_CONDITIONS.registered);
  if (before?.reason === REASONS.networkNotFound) return 'Missing';
  try {
    return (await client.find(NETWORK_ATTACHMENT_DEFINITIONS, ref)) ?? 'Missing';
  } catch (error) {
    // The manager may not read that namespace.
    if (error instanceof ApiError && error.status === 403) return 'Missing';
    throw error;
  }
}

function problemOf(attachment: AttachmentFact): AttachmentProblem | undefined {
  if (typeof attachment === 'string') return undefined;
  const derived = attachmentConfig(attachment, []);
  return 'problem' in derived ? derived.problem : undefined;
}

/** Whether the agent is Ready and was started for this pool: a pod keeps the addresses from its start. */
function serves(pod: Pod | undefined, pool: IPPool, space: AddressSpace, index: number): boolean {
  if (pod === undefined || !isReady(pod) || pool.spec.paused === true) return false;
  const has = (annotation: string, value: string) =>
    (pod.metadata.annotations?.[annotation] ?? '').split(',').includes(value);
  return (
    addressOf(space, index).every((address) => has(ADDRESSES_ANNOTATION, address)) &&
    has(POOL_NAMESPACES_ANNOTATION, pool.metadata.namespace ?? '')
  );
}
