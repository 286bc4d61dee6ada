import type { IPPool, Ipv4Range } from '../../api/index.ts';
import {
  Controller,
  generationChanged,
  keyOf,
  or,
  self,
  source,
  type KubeObject,
  type ObjectRef,
  type Predicate,
  type RunnableCache,
  type RunnableController,
  type Cache,
  type Source,
} from '@groundcrew/controller-runtime';
import type { AgentSettings } from '../agent-workload/index.ts';
import {
  BY_NETWORK,
  leaseTurned,
  networkOfPool,
  networkRef,
  networksServedBy,
  poolOf,
  RETRIES,
  type NetworkControllerOptions,
} from '../networks/index.ts';
import type { Fleet, Gate } from '../rollout/index.ts';
import { networkOf } from './agents/identity.ts';
import { dhcpFleet } from './fleet.ts';
import { NetworkReconciler } from './agents/reconciler.ts';
import { NetworkReports } from './agents/reports.ts';
import { createAgentCaches, type AgentCaches } from './caches.ts';
import { NtpNames, type ResolveName } from './ntp-names.ts';
import { PoolReconciler } from './status/reconciler.ts';

export interface IPPoolControllerOptions extends NetworkControllerOptions {
  /** The installation's settings for all DHCP agents; `spec.agent` of the network's deciding pool overrides them. */
  agents: AgentSettings;
  /** What the roll-out allows each agent. */
  gate: Pick<Gate, 'turn' | 'subscribe'>;
  /** Namespaces to work in; empty: all. */
  namespaces: readonly string[];
  /** Resolves the NTP servers that pools name: `resolveIpv4`. */
  resolve: ResolveName;
  /** Private addresses that NTP servers may have. */
  allowedNtpRanges: readonly Ipv4Range[];
}

/** Concurrent reconciles of pools and of networks; most of their time is spent waiting for the API server. */
const WORKERS = 4;

/**
 * The controllers of IPPools: for the agents of each network, for the status of each pool, and for the addresses of NTP
 * servers. Also returns the caches that they need besides those of networks, to be run.
 */
export function ipPoolControllers(options: IPPoolControllerOptions): {
  controllers: readonly RunnableController[];
  caches: readonly RunnableCache[];
  fleet: Fleet;
} {
  const agentCaches = createAgentCaches(options);
  const reports = new NetworkReports();
  const ntpNames = new NtpNames({ ...options, allowedRanges: options.allowedNtpRanges });
  const parts = { ...options, agentCaches, reports, ntpNames };
  return {
    controllers: [networks(parts), pools(parts), ntpNames.controller],
    caches: agentCaches.all,
    fleet: dhcpFleet(options.caches, agentCaches),
  };
}

interface Parts extends IPPoolControllerOptions {
  agentCaches: AgentCaches;
  reports: NetworkReports;
  ntpNames: NtpNames;
}

function networks(parts: Parts): Controller {
  const { caches, agentCaches, gate, clock, logger, metrics } = parts;
  const reconciler = new NetworkReconciler(parts);
  const madeFor = (object: KubeObject): ObjectRef[] => {
    const network = networkOf(object);
    return network === undefined ? [] : [networkRef(network)];
  };
  return new Controller({
    name: 'dhcp-agents',
    reconcile: (ref) => reconciler.reconcile(ref),
    sources: [
      source(caches.pools, (pool) => [networkRef(networkOfPool(pool))], specChanged),
      source(caches.networks, self),
      source(caches.networks, madeFor),
      source(caches.otherAgents, (pod) => networksServedBy(pod).map(networkRef)),
      source(agentCaches.pods, madeFor),
      ...Object.values(agentCaches.children).map((cache) => source(cache, madeFor)),
      newTurn(gate, caches.pools),
    ],
    workers: WORKERS,
    rateLimit: RETRIES,
    clock,
    logger,
    metrics,
  });
}

/** Enqueues all networks when the roll-out has reached an agent: there are few, and an unchanged one costs no request. */
function newTurn(gate: Pick<Gate, 'subscribe'>, pools: Cache<IPPool>): Source {
  return {
    start: (enqueue) =>
      gate.subscribe(() => {
        for (const pool of pools.list()) enqueue(networkRef(networkOfPool(pool)));
      }),
  };
}

function pools(parts: Parts): Controller {
  const { caches, agentCaches, reports, ntpNames, clock, logger, metrics } = parts;
  const reconciler = new PoolReconciler(parts);
  const ofNetwork = (network: string): ObjectRef[] => caches.pools.refsByIndex(BY_NETWORK, network);
  const madeFor = (object: KubeObject): ObjectRef[] => ofNetwork(networkOf(object) ?? '');
  return new Controller({
    name: 'ippool',
    reconcile: (ref) => reconciler.reconcile(ref),
    sources: [
      source(caches.pools, self),
      source<IPPool>(caches.pools, (pool) => ofNetwork(networkOfPool(pool)), specChanged),
      source(caches.networks, ({ metadata }) => ofNetwork(keyOf(metadata))),
      source(caches.leases, (lease) => [poolOf(lease)], leaseTurned),
      source(caches.otherAgents, (pod) => networksServedBy(pod).flatMap(ofNetwork)),
      source(agentCaches.pods, madeFor),
      source(agentCaches.deployments, madeFor),
      reports.source(ofNetwork),
      ntpNames.source,
    ],
    workers: WORKERS,
    rateLimit: RETRIES,
    clock,
    logger,
    metrics,
  });
}

/** The changes of a pool that matter to others: not those of its status, which may change every second. */
const specChanged: Predicate = or(
  generationChanged,
  (change) =>
    change.type === 'modified' &&
    change.object.metadata.deletionTimestamp !== change.previous.metadata.deletionTimestamp,
);
