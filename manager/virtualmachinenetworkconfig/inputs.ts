import type { IPLease, IPPool, Ipv4, VirtualMachineNetworkConfig } from '../../api/index.ts';
import type { PoolAddresses } from '../ipam/index.ts';

/** All that is evaluated, read in one go: which leases should be, and which should not, follow from it alone. */
export interface Inputs {
  config: VirtualMachineNetworkConfig;
  /** `namespace/name`; the VM need not be there. */
  virtualMachine: string;
  /** In the order of the spec. */
  interfaces: readonly InterfaceInputs[];
  /** Leases that this config asked for, or an earlier one of its name, released ones among them. */
  leases: readonly LeaseInputs[];
  /** Leases that are kept for the VM, whichever config of it asked for them. */
  retained: readonly LeaseInputs[];
}

export interface LeaseInputs {
  lease: IPLease;
  address: Ipv4;
  /** Canonical. */
  mac: string;
  /** As the label has it. */
  network: string;
  /** For people: the net-attach-def as `namespace/name`, where the pool is known. */
  networkName: string;
}

/** An interface that is to have an address. */
export interface InterfaceInputs {
  /** As in the spec. */
  networkName: string;
  macAddress: string;
  /** `namespace/name` of the net-attach-def. */
  network: string;
  /** The same as a label of leases. */
  label: string;
  /** Canonical. */
  mac: string;
  /** An entry before it has the same network and MAC address. */
  isRepeated: boolean;
  /** Who has the MAC address on the network before it: another config, or a lease that is kept for another VM. */
  rival?: VirtualMachineNetworkConfig | IPLease;
  /** Of the network, the oldest first. */
  pools: readonly PoolInputs[];
  /** The only address that will do. */
  fixed?: FixedAddress;
  /** A lease that a person made for the MAC address: not ours to change, and as good as one of ours. */
  held?: IPLease;
  /** The address that it had by the status: preferred, so that one whose pool was made again gets it back. */
  previous?: Ipv4;
}

/** `Gives` addresses; the others give none, and keep what they gave. */
export type PoolStanding = 'Gives' | 'Paused' | 'Collides' | 'Invalid' | 'Ends';

export interface PoolInputs {
  pool: IPPool;
  standing: PoolStanding;
  /** The older pool that it collides with. */
  rival?: IPPool;
  /** Absent where it has none, or its spec makes no sense. */
  addresses?: PoolAddresses;
}

export interface FixedAddress {
  address: Ipv4;
  by: 'spec' | 'reservation';
  /** The pool that has it; undefined: it is in no pool's network. */
  pool?: PoolInputs;
  /** Whom the address is kept for, where that is somebody else. */
  keptForOther: boolean;
  /** Who has it; released leases have it still. */
  occupant?: IPLease;
  hostname?: string;
}
