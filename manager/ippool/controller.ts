import type { IPPool } from '../../api/index.ts';
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
} from '@groundcrew/controller-runtime';
import type { AgentSettings } from '../children/index.ts';
import { BY_NETWORK, leaseTurned, poolOf, RETRIES, type NetworkControllerOptions } from '../networks/index.ts';
import { networkOf, networkRef } from './agents/identity.ts';
import { NetworkReconciler } from './agents/reconciler.ts';
import { NetworkReports } from './agents/reports.ts';
import { networkOfPool } from './agents/wanted-agents.ts';
import { createAgentCaches, type AgentCaches } from './caches.ts';
import { NtpNames, type ResolveName } from './ntp/ntp-names.ts';
import { poolGauges } from './pool-gauges.ts';
import { PoolReconciler } from './status/reconciler.ts';

export interface IPPoolControllerOptions extends NetworkControllerOptions {
  /** What the installation sets for all DHCP agents; the oldest pool's `spec.agent` goes over it, field by field. */
  agents: AgentSettings;
  /** Namespaces to work in; empty: all. */
  namespaces: readonly string[];
  /** Finds the NTP servers that pools name: `resolveIpv4`. */
  resolve: ResolveName;
}

/** Pools, and networks, that are worked on at a time: each waits for the API server most of its time. */
const WORKERS = 4;

/**
 * The controllers of IPPools: one makes the agents of each network that has pools, one says of each pool how it is, and
 * one keeps the addresses of NTP servers. With the caches that they need beside those of networks, to be run.
 */
export function ipPoolControllers(options: IPPoolControllerOptions): {
  controllers: readonly RunnableController[];
  caches: readonly RunnableCache[];
} {
  if (options.metrics !== undefined) poolGauges(options.metrics, options.caches.pools);
  const agentCaches = createAgentCaches(options);
  const reports = new NetworkReports();
  const ntpNames = new NtpNames(options);
  const parts = { ...options, agentCaches, reports, ntpNames };
  return {
    controllers: [networks(parts), pools(parts), ntpNames.controller],
    caches: agentCaches.all,
  };
}

interface Parts extends IPPoolControllerOptions {
  agentCaches: AgentCaches;
  reports: NetworkReports;
  ntpNames: NtpNames;
}

function networks(parts: Parts): Controller {
  const { caches, agentCaches, clock, logger, metrics } = parts;
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
      source(agentCaches.pods, madeFor),
      ...Object.values(agentCaches.children).map((cache) => source(cache, madeFor)),
    ],
    workers: WORKERS,
    rateLimit: RETRIES,
    clock,
    logger,
    metrics,
  });
}

function pools(parts: Parts): Controller {
  const { caches, agentCaches, reports, ntpNames, clock, logger, metrics } = parts;
  const reconciler = new PoolReconciler(parts);
  const ofNetwork = (network: string): ObjectRef[] => caches.pools.byIndex(BY_NETWORK, network).flatMap(self);
  const madeFor = (object: KubeObject): ObjectRef[] => ofNetwork(networkOf(object) ?? '');
  return new Controller({
    name: 'ippool',
    reconcile: (ref) => reconciler.reconcile(ref),
    sources: [
      source(caches.pools, self),
      source<IPPool>(caches.pools, (pool) => ofNetwork(networkOfPool(pool)), specChanged),
      source(caches.networks, ({ metadata }) => ofNetwork(keyOf(metadata))),
      source(caches.leases, (lease) => [poolOf(lease)], leaseTurned),
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

/** Of a pool's changes those that matter to others: not those of its status, of which there may be one each second. */
const specChanged: Predicate = or(
  generationChanged,
  (change) =>
    change.type === 'modified' &&
    change.object.metadata.deletionTimestamp !== change.previous.metadata.deletionTimestamp,
);
