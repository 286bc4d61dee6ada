import type { IPLease, IPPool, Ipv4Cidr } from '../../../../api/index.ts';
import type { Rule } from '../verdict.ts';

/** What an IPPool is evaluated by, beside itself. */
export interface PoolInputs {
  /** The other pools of its network. */
  others: readonly IPPool[];
  /** Its leases that are not released. */
  leases: readonly IPLease[];
  /** Whether its net-attach-def is there; undefined where the cluster knows none of any kind. */
  networkExists: boolean | undefined;
  clusterRanges: readonly ClusterRange[];
}

/** Addresses that the cluster uses itself. */
export interface ClusterRange extends Ipv4Cidr {
  /** As it was written: `10.43.0.0/16` */
  text: string;
}

export type PoolRule = Rule<IPPool, PoolInputs>;

/** Where the IPv4 side of a pool's fields is. */
export const CONFIG = 'spec.ipv4Config';
