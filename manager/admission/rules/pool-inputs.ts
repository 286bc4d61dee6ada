import type { IPLease, IPPool, Ipv4Cidr } from '../../../api/index.ts';
import type { Rule } from './verdict.ts';

/** Inputs of the IPPool rules besides the pool itself. */
export interface PoolInputs {
  /** The other pools of its network. */
  others: readonly IPPool[];
  /** Pools of its namespace on other net-attach-defs with the same bridge and VLAN. */
  onSameWire: readonly IPPool[];
  /** The pool's leases that are not released. */
  leases: readonly IPLease[];
  /** Whether the pool's net-attach-def exists; undefined if the cluster does not have the resource. */
  networkExists: boolean | undefined;
  /** The IPAM plugin by which its net-attach-def gives addresses to pods. */
  podIpam: string | undefined;
  /** Whether the pool may serve its network. */
  isAllowed: boolean;
  clusterRanges: readonly ClusterRange[];
}

/** A range of addresses that the cluster itself uses. */
export interface ClusterRange extends Ipv4Cidr {
  /** As it was configured: `10.43.0.0/16` */
  text: string;
}

export type PoolRule = Rule<IPPool, PoolInputs>;

/** Path of the pool's IPv4 configuration. */
export const CONFIG = 'spec.ipv4Config';
