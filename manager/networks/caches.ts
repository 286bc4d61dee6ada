import {
  allowsPoolsOf,
  canonicalMac,
  IP_LEASES,
  IP_POOLS,
  isNetworkOf,
  isQuarantined,
  LABELS,
  NETWORK_ATTACHMENT_DEFINITIONS,
  networkKey,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
  type IPLease,
  type IPPool,
  type NetworkAttachmentDefinition,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineNetworkConfig,
} from '../../api/index.ts';
import {
  CachedWatch,
  JoinedCache,
  keyOf,
  PODS,
  type Cache,
  type CachedWatchOptions,
  type KubeObject,
  type ObjectRef,
  type Pod,
  type RunnableCache,
} from '@groundcrew/controller-runtime';
import { networksServedBy, OTHER_AGENT_SELECTOR } from './other-controller.ts';
import { trimmedInstance, trimmedLease, trimmedVirtualMachine } from './trimmed.ts';

/** The caches that all network controllers share. */
export interface NetworkCaches {
  pools: Cache<IPPool>;
  leases: Cache<IPLease>;
  configs: Cache<VirtualMachineNetworkConfig>;
  /** Trimmed by `trimmedVirtualMachine`. */
  virtualMachines: Cache<VirtualMachine>;
  /** Of each namespace that the manager works in, or of all. */
  virtualMachinesOfEach: readonly CachedWatch<VirtualMachine>[];
  /** Trimmed by `trimmedInstance`. */
  instances: Cache<VirtualMachineInstance>;
  networks: Cache<NetworkAttachmentDefinition>;
  /** Agents of vm-dhcp-controller. */
  otherAgents: Cache<Pod>;
  /** Whether the network's owner lets the pool serve it. A pool that may not has no effect on the network. */
  mayServe(pool: IPPool): boolean;
  /** The pools that may serve a network (`namespace/name`). */
  poolsOn(network: string): readonly IPPool[];
  /** The agents of vm-dhcp-controller that serve a network. While there are any, the network is left to that controller. */
  otherAgentsOn(network: string): readonly Pod[];
  /** Whether the cluster has the resource net-attach-def: false without Multus. */
  hasMultus(): boolean;
  /** Whether the virtual machines are known: false without KubeVirt. */
  hasKubeVirt(): boolean;
  /** End of the last API server outage, milliseconds by the clock: now during an outage; undefined: there was none. */
  leasesAwayUntil(): number | undefined;
  /** All of them, to be run. */
  all: readonly RunnableCache[];
}

/** Index of pools, configs, VirtualMachines and agents of vm-dhcp-controller by `networkKey` of their networks. */
export const BY_NETWORK = 'network';
/** Index of VirtualMachines by their uid. */
export const BY_UID = 'uid';
/** Index of leases by `namespace/name` of their pool. */
export const BY_POOL = 'pool';
/** Index of leases and configs by `macKey`. */
export const BY_MAC = 'mac';
/** Index of leases in quarantine by `namespace/name` of their pool. */
export const BY_QUARANTINE = 'quarantine';
/** Index of leases by `namespace/name` of the config that requested them. */
export const BY_CONFIG = 'config';
/** Index of leases and configs by `namespace/name` of their VirtualMachine. */
export const BY_VIRTUAL_MACHINE = 'virtualMachine';

/** Key of a MAC address on a network; at most one lease should have it. */
export function macKey(network: string, macAddress: string): string {
  return `${network} ${canonicalMac(macAddress) ?? macAddress}`;
}

/** Reference to a lease's pool. */
export function poolOf({ metadata }: IPLease): { namespace: string; name: string } {
  return { namespace: metadata.namespace ?? '', name: metadata.labels?.[LABELS.ipPool] ?? '' };
}

/** Reference to a lease's VM; undefined: it has none. */
export function machineOf({ metadata, spec: { vmRef } }: IPLease): Required<ObjectRef> | undefined {
  return vmRef && { namespace: vmRef.namespace ?? metadata.namespace ?? '', name: vmRef.name };
}

/** The network of a pool, `namespace/name` of its net-attach-def. */
export function networkOfPool({ metadata, spec }: IPPool): string {
  return networkKey(spec.networkName, metadata.namespace ?? '');
}

/** Reference to a net-attach-def. */
export function networkRef(network: string): Required<ObjectRef> {
  const slash = network.indexOf('/');
  return { namespace: network.slice(0, slash), name: network.slice(slash + 1) };
}

/** The network label of a lease. */
export function networkLabelOf({ metadata }: IPLease): string {
  return metadata.labels?.[LABELS.network] ?? '';
}

export type NetworkCacheOptions = Pick<CachedWatchOptions<KubeObject>, 'client' | 'clock' | 'logger' | 'metrics'> & {
  /** Namespaces to read; empty: all. */
  namespaces: readonly string[];
  /** Let pools serve networks of all namespaces. Default: only if the net-attach-def allows the pool's namespace. */
  crossNamespacePools?: boolean | undefined;
};

export function createNetworkCaches(options: NetworkCacheOptions): NetworkCaches {
  const { namespaces, crossNamespacePools = false, client, clock, logger, metrics } = options;
  const reading = { client, clock, logger, metrics };
  const all: CachedWatch<KubeObject>[] = [];
  const cache = <T extends KubeObject>(
    options: Pick<CachedWatchOptions<T>, 'kind' | 'labelSelector' | 'indexes' | 'pack' | 'transform'>,
  ) => {
    const selections = namespaces.length === 0 ? [{}] : namespaces.map((namespace) => ({ namespace }));
    const caches = selections.map((selection) => new CachedWatch<T>({ ...reading, ...selection, ...options }));
    // Code that runs or awaits a cache does not depend on its type.
    all.push(...(caches as unknown as CachedWatch<KubeObject>[]));
    return { joined: new JoinedCache(options.kind, caches), caches };
  };
  const networks = cache({ kind: NETWORK_ATTACHMENT_DEFINITIONS });
  const leases = cache<IPLease>({
    kind: IP_LEASES,
    transform: trimmedLease,
    indexes: {
      [BY_POOL]: (lease) => [keyOf(poolOf(lease))],
      [BY_MAC]: (lease) => [macKey(networkLabelOf(lease), lease.spec.macAddress)],
      [BY_QUARANTINE]: (lease) => (isQuarantined(lease) ? [keyOf(poolOf(lease))] : []),
      [BY_CONFIG]: ({ spec: { vmNetworkConfigRef: ref } }) => (ref === undefined ? [] : [keyOf(refFrom(ref))]),
      [BY_VIRTUAL_MACHINE]: ({ spec: { vmRef: ref } }) => (ref === undefined ? [] : [keyOf(refFrom(ref))]),
    },
  });
  const pools = cache({ kind: IP_POOLS, indexes: { [BY_NETWORK]: (pool) => [networkOfPool(pool)] } }).joined;
  const mayServe = (pool: IPPool): boolean => {
    const { namespace = '' } = pool.metadata;
    const network = networkOfPool(pool);
    if (crossNamespacePools || isNetworkOf(network, namespace)) return true;
    const attachment = networks.joined.get(networkRef(network));
    return attachment !== undefined && allowsPoolsOf(namespace, attachment);
  };
  const otherAgents = cache<Pod>({
    kind: PODS,
    labelSelector: OTHER_AGENT_SELECTOR,
    indexes: { [BY_NETWORK]: networksServedBy },
  }).joined;
  const virtualMachines = cache({
    kind: VIRTUAL_MACHINES,
    transform: trimmedVirtualMachine,
    pack: () => [],
    indexes: {
      [BY_NETWORK]: ({ metadata, spec }) =>
        (spec.template.spec.networks ?? []).flatMap(({ multus }) =>
          multus === undefined ? [] : [networkKey(multus.networkName, metadata.namespace ?? '')],
        ),
      [BY_UID]: ({ metadata }) => [metadata.uid ?? ''],
    },
  });
  return {
    pools,
    mayServe,
    poolsOn: (network) => pools.byIndex(BY_NETWORK, network).filter(mayServe),
    otherAgents,
    otherAgentsOn: (network) => otherAgents.byIndex(BY_NETWORK, network),
    leases: leases.joined,
    configs: cache({
      kind: VIRTUAL_MACHINE_NETWORK_CONFIGS,
      pack: ({ spec }) => [spec.vmName],
      indexes: {
        [BY_NETWORK]: (config) => networkConfigsOf(config).map(({ network }) => network),
        [BY_MAC]: (config) => networkConfigsOf(config).map(({ network, mac }) => macKey(network, mac)),
        [BY_VIRTUAL_MACHINE]: ({ metadata: { namespace = '' }, spec }) => [keyOf({ namespace, name: spec.vmName })],
      },
    }).joined,
    virtualMachines: virtualMachines.joined,
    virtualMachinesOfEach: virtualMachines.caches,
    instances: cache({ kind: VIRTUAL_MACHINE_INSTANCES, transform: trimmedInstance, pack: () => [] }).joined,
    networks: networks.joined,
    leasesAwayUntil: () => leases.caches.reduce<number | undefined>(laterOf, undefined),
    hasKubeVirt: () => virtualMachines.caches.every(({ hasSynced, absent }) => hasSynced && !absent),
    hasMultus: () => networks.caches.some(({ hasSynced, absent }) => hasSynced && !absent),
    all,
  };
}

function laterOf(time: number | undefined, { awayUntil }: CachedWatch<IPLease>): number | undefined {
  return awayUntil === undefined || (time !== undefined && time > awayUntil) ? time : awayUntil;
}

function networkConfigsOf({ metadata, spec }: VirtualMachineNetworkConfig): { network: string; mac: string }[] {
  return (spec.networkConfigs ?? []).map(({ networkName, macAddress }) => ({
    network: networkKey(networkName, metadata.namespace ?? ''),
    mac: macAddress,
  }));
}

function refFrom({ namespace = '', name }: { namespace?: string | undefined; name: string }) {
  return { namespace, name };
}
