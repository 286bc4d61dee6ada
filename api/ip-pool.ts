import type { z } from 'zod';
import type { Kind, KubeObject } from './object.ts';
import type { ipPoolSpec, ipPoolStatus } from './schemas/ip-pool.ts';

/** Addresses of a VM network, leased to virtual machines by DHCP. */
export interface IPPool extends KubeObject {
  spec: IPPoolSpec;
  status?: IPPoolStatus;
}

export type IPPoolSpec = z.input<typeof ipPoolSpec>;
export type IPPoolStatus = z.input<typeof ipPoolStatus>;

export const IP_POOLS: Kind<IPPool> = {
  group: 'network.harvesterhci.io',
  version: 'v1alpha1',
  kind: 'IPPool',
  plural: 'ippools',
  namespaced: true,
};

/** Types of an IPPool's conditions. */
export const IP_POOL_CONDITIONS = {
  registered: 'Registered',
  cacheReady: 'CacheReady',
  agentReady: 'AgentReady',
  stopped: 'Stopped',
  ready: 'Ready',
  exhausted: 'Exhausted',
  conflictDetected: 'ConflictDetected',
} as const;

const ONE_YEAR = 31_536_000;

/** Seconds of a pool's leases. */
export function leaseTimeOf(spec: IPPoolSpec): number {
  const leaseTime = spec.ipv4Config?.leaseTime ?? 0;
  return leaseTime > 0 ? leaseTime : ONE_YEAR;
}
