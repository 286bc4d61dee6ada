import type { VirtualMachineBMC } from '../../api/index.ts';
import type { Address, Cache, Clock, KubeClient, Logger } from '@groundcrew/controller-runtime';
import type { NetworkCaches } from '../networks/index.ts';

export interface AdmissionOptions {
  client: KubeClient;
  caches: NetworkCaches;
  /** BMCs, and the index of them by `namespace/name` of their virtual machine. */
  bmcs: { cache: Cache<VirtualMachineBMC>; byVirtualMachine: string };
  /** Where the server listens; port 0 for any free one. */
  address: Address;
  reachedBy: Reach;
  /** The manager's own. */
  namespace: string;
  /** Namespaces to work in; empty: all. */
  namespaces: readonly string[];
  /** Addresses that the cluster uses itself, as CIDRs; what is none is left out. */
  clusterRanges?: readonly string[];
  /** Give VMs that are made MAC addresses for interfaces on a pool's network that have none. */
  assignMACs: boolean;
  /** A ClusterRole that the webhook configurations go with, so that none is left that nobody answers. */
  owner?: string | undefined;
  clock: Clock;
  logger: Logger;
}

/**
 * How API servers reach the admission server: by a Service of the manager's namespace (port 443 where none is given), or
 * by a URL, absent for the address that it listens on.
 */
export type Reach = { service: string; port?: number } | { url?: string };
