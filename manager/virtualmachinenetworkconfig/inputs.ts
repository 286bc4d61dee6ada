import type { IPLease, IPPool, Ipv4, PoolProblem, VirtualMachineNetworkConfig } from '../../api/index.ts';
import type { Claim } from './claims.ts';
import type { PoolAddresses } from '../ipam/index.ts';

/** All inputs for one config, read at one time; the desired leases are computed from them alone. */
export interface Inputs {
  config: VirtualMachineNetworkConfig;
  /** `namespace/name`; the VM need not exist. */
  virtualMachine: string;
  hasVirtualMachine: boolean;
  /** In the order of the spec. */
  interfaces: readonly InterfaceInputs[];
  /** Leases of this config or of an earlier one of its name, including released ones. */
  leases: readonly LeaseInputs[];
  /** Leases retained for the VM, of any config. */
  retained: readonly LeaseInputs[];
}

export interface LeaseInputs {
  lease: IPLease;
  address: Ipv4;
  /** Canonical. */
  mac: string;
  /** Value of the network label. */
  network: string;
  /** Another machine uses the address, but it is not given up: enough addresses are in quarantine. */
  isKeptInConflict?: true;
  /** For messages: the net-attach-def as `namespace/name`, if the pool is known. */
  networkName: string;
}

/** An interface that needs an address. */
export interface InterfaceInputs {
  /** As in the spec. */
  networkName: string;
  macAddress: string;
  /** `namespace/name` of the net-attach-def. */
  network: string;
  /** The network as a label value of leases. */
  label: string;
  /** Canonical. */
  mac: string;
  /** An earlier entry has the same network and MAC address. */
  isRepeated: boolean;
  /** Whether the VM has the interface. */
  claim: Claim;
  /** The owner with a better claim to the MAC address on the network: another config, or a lease retained for another VM. */
  rival?: VirtualMachineNetworkConfig | IPLease;
  /** Leases of owners with a lesser claim. */
  displaced: readonly IPLease[];
  /** Pools of the network, by precedence. */
  pools: readonly PoolInputs[];
  /** The only usable address, if it is fixed. */
  fixed?: FixedAddress;
  /** A lease that a user created for the MAC address: used, but not changed. */
  held?: IPLease;
  /** The address in the previous status: preferred, so that it is kept when a pool is recreated. */
  previous?: Ipv4;
}

/** A pool that `Gives` leases addresses; the others lease none and keep existing leases. */
export type PoolStanding = 'Gives' | 'Paused' | 'Collides' | 'Invalid' | 'Ends';

export interface PoolInputs {
  pool: IPPool;
  standing: PoolStanding;
  /** What it has in common with an older pool. */
  conflict?: PoolProblem;
  /** Absent if the pool has none or its spec is invalid. */
  addresses?: PoolAddresses;
}

export interface FixedAddress {
  address: Ipv4;
  by: 'spec' | 'reservation';
  /** The pool of the address; undefined: no pool's network contains it. */
  pool?: PoolInputs;
  /** Whether the address is reserved for another VM or MAC address. */
  keptForOther: boolean;
  /** The lease of the address, including a released one. */
  occupant?: IPLease;
  hostname?: string;
}
