import type { z } from 'zod';
import { LABELS } from './names.ts';
import { kindOf, type KubeObject } from './object.ts';
import type { ipPoolSpec, ipPoolStatus } from './schemas/ip-pool.ts';
import type { ipLeaseSpec, ipLeaseStatus } from './schemas/ip-lease.ts';
import type {
  virtualMachineNetworkConfigSpec,
  virtualMachineNetworkConfigStatus,
} from './schemas/virtual-machine-network-config.ts';

/** Addresses of a VM network, leased to virtual machines by DHCP. */
export interface IPPool extends KubeObject {
  spec: IPPoolSpec;
  status?: IPPoolStatus;
}

export type IPPoolSpec = z.input<typeof ipPoolSpec>;
export type IPPoolStatus = z.input<typeof ipPoolStatus>;

export const IP_POOLS = kindOf<IPPool>('network.harvesterhci.io/v1alpha1', 'IPPool');

/** Types of an IPPool's conditions. */
export const IP_POOL_CONDITIONS = {
  registered: 'Registered',
  cacheReady: 'CacheReady',
  agentReady: 'AgentReady',
  stopped: 'Stopped',
  ready: 'Ready',
  exhausted: 'Exhausted',
  conflictDetected: 'ConflictDetected',
  /** The agents follow `spec.agent`; absent without it. */
  agentSettingsApplied: 'AgentSettingsApplied',
} as const;

/** Seconds. Also the time for which the address of a deleted VM rests, so not the year of vm-dhcp-controller. */
export const DEFAULT_LEASE_TIME = 43_200;

/** Lease time of a pool, s. */
export function leaseTimeOf(spec: IPPoolSpec): number {
  const leaseTime = spec.ipv4Config?.leaseTime ?? 0;
  return leaseTime > 0 ? leaseTime : DEFAULT_LEASE_TIME;
}

/** An address of an IPPool that is leased to a MAC address; its name is `<pool>.<address>`. */
export interface IPLease extends KubeObject {
  spec: IPLeaseSpec;
  status?: IPLeaseStatus;
}

export type IPLeaseSpec = z.input<typeof ipLeaseSpec>;
export type IPLeaseStatus = z.input<typeof ipLeaseStatus>;

export const IP_LEASES = kindOf<IPLease>('network.harvesterhci.io/v1alpha1', 'IPLease');

const LEASE_PHASES = {
  Allocated: 'Pending',
  Bound: 'Ready',
  Released: 'Released',
  Resting: 'Released',
  Declined: 'Failed',
} as const;

/** The state of a lease with the phase that belongs to it; both are written in one request. */
export function leaseState<S extends keyof typeof LEASE_PHASES>(state: S) {
  return { state, phase: LEASE_PHASES[state] };
}

/** No longer served by agents; the address is not free yet. */
export function isReleased({ metadata }: IPLease): boolean {
  return metadata.labels?.[LABELS.released] !== undefined;
}

/** Kept after the end of its VM, for a VM of the same name. */
export function isRetained({ metadata }: IPLease): boolean {
  return metadata.labels?.[LABELS.retained] !== undefined;
}

/** Another machine uses the address, as agents have verified. */
export function isDeclined({ status }: IPLease): boolean {
  return status?.state === 'Declined';
}

/** Whether it only blocks an address that another machine uses: its client has another address, or is gone. */
export function isQuarantined(lease: IPLease): boolean {
  return isDeclined(lease) && isReleased(lease);
}

/** The addresses of a virtual machine, by interface. */
export interface VirtualMachineNetworkConfig extends KubeObject {
  spec: VirtualMachineNetworkConfigSpec;
  status?: VirtualMachineNetworkConfigStatus;
}

export type VirtualMachineNetworkConfigSpec = z.input<typeof virtualMachineNetworkConfigSpec>;
export type VirtualMachineNetworkConfigStatus = z.input<typeof virtualMachineNetworkConfigStatus>;

export const VIRTUAL_MACHINE_NETWORK_CONFIGS = kindOf<VirtualMachineNetworkConfig>(
  'network.harvesterhci.io/v1alpha1',
  'VirtualMachineNetworkConfig',
);

/** Types of a VirtualMachineNetworkConfig's conditions. */
export const NETWORK_CONFIG_CONDITIONS = {
  allocated: 'Allocated',
  disabled: 'Disabled',
  inSynced: 'InSynced',
} as const;
