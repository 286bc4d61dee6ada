import type { BMCDefaults, VirtualMachineBMC } from '../../api/index.ts';
import type { Address, Cache, Clock, KubeClient, Logger, Metrics } from '@groundcrew/controller-runtime';
import type { NetworkCaches } from '../networks/index.ts';
import type { NamePolicy } from '../virtualmachinebmc/index.ts';

export interface AdmissionOptions {
  client: KubeClient;
  caches: NetworkCaches;
  /** The cache of BMCs, and its index by `namespace/name` of the virtual machine. */
  bmcs: { cache: Cache<VirtualMachineBMC>; byVirtualMachine: string };
  /** Address to listen on; port 0 selects a free port. */
  address: Address;
  reachedBy: Reach;
  /** The manager's namespace. */
  namespace: string;
  /** Namespaces to work in; empty: all. */
  namespaces: readonly string[];
  /** Addresses that the cluster itself uses, as CIDRs; invalid entries are ignored. */
  clusterRanges?: readonly string[];
  /** Names that BMCs may have in their certificates. */
  namePolicy: NamePolicy;
  bmcDefaults: BMCDefaults;
  /** Assign MAC addresses to new VMs for interfaces on a pool's network that have none. */
  assignMACs: boolean;
  /** Whether new BMCs of a namespace may get the manager's finalizer at once: it can remove it again. */
  mayFinalize: (namespace: string) => boolean;
  /** ClusterRole that owns the webhook configurations, so that they are deleted with the installation. */
  owner?: string | undefined;
  clock: Clock;
  logger: Logger;
  metrics?: Metrics | undefined;
}

/**
 * How API servers reach the admission server: by a Service in the manager's namespace (default port 443), or by a URL
 * (default: the listening address).
 */
export type Reach = { service: string; port?: number } | { url?: string };
