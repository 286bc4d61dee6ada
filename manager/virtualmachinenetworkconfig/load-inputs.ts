import {
  canonicalMac,
  isDeclined,
  isRetained,
  networkKey,
  networkLabel,
  parseIpv4,
  type IPLease,
  type VirtualMachineNetworkConfig,
} from '../../api/index.ts';
import { keyOf } from '@groundcrew/controller-runtime';
import type { Ipam } from '../ipam/index.ts';
import {
  BY_CONFIG,
  BY_MAC,
  BY_VIRTUAL_MACHINE,
  macKey,
  networkLabelOf,
  networkOfPool,
  poolOf,
  type NetworkCaches,
} from '../networks/index.ts';
import type { Inputs, InterfaceInputs, LeaseInputs, PoolInputs } from './inputs.ts';
import { fixedAddress, isReservedForMac } from './conditions/fixed-address.ts';
import { isActive } from './conditions/lease-state.ts';
import { claimOf, contestOf, type ClaimSources } from './claims.ts';
import type { PoolOrder } from './pool-order.ts';
import { mayBeQuarantined } from './quarantine.ts';

/** The sources of the inputs. */
export interface Sources {
  caches: Pick<NetworkCaches, 'pools' | 'mayServe' | 'otherAgentsOn'> & ClaimSources;
  ipam: Ipam;
  pools: PoolOrder;
}

/** Reads all inputs for a config, from memory only. */
export function loadInputs(config: VirtualMachineNetworkConfig, sources: Sources): Inputs {
  const { ipam } = sources;
  const { namespace = '', name } = config.metadata;
  const virtualMachine = keyOf({ namespace, name: config.spec.vmName });
  const leases = ipam.leases.find(BY_CONFIG, keyOf({ namespace, name }), ({ spec: { vmNetworkConfigRef: ref } }) =>
    isRef(ref, keyOf({ namespace, name })),
  );
  const ofVirtualMachine = ipam.leases.find(BY_VIRTUAL_MACHINE, virtualMachine, ({ spec: { vmRef: ref } }) =>
    isRef(ref, virtualMachine),
  );
  return {
    config,
    virtualMachine,
    hasVirtualMachine: !sources.caches.hasKubeVirt() || hasMachine(config, sources),
    interfaces: interfacesOf(config, virtualMachine, sources),
    leases: leases.flatMap((lease) => leaseInputs(lease, sources)),
    retained: ofVirtualMachine.filter(isRetained).flatMap((lease) => leaseInputs(lease, sources)),
  };
}

function leaseInputs(lease: IPLease, sources: Sources): LeaseInputs[] {
  const { caches } = sources;
  const address = parseIpv4(lease.spec.ipAddress);
  if (address === undefined) return [];
  const pool = caches.pools.get(poolOf(lease));
  // As if the lease did not exist: no agent serves it. It is seen again when the pool is allowed again.
  if (pool !== undefined && !caches.mayServe(pool)) return [];
  const network = networkLabelOf(lease);
  return [
    {
      lease,
      address,
      mac: canonicalMac(lease.spec.macAddress) ?? lease.spec.macAddress,
      network,
      networkName: pool === undefined ? network : networkOfPool(pool),
      ...(isDeclined(lease) && isActive(lease) && !mayBeQuarantined(lease, pool, sources.ipam.leases)
        ? { isKeptInConflict: true }
        : {}),
    },
  ];
}

function interfacesOf(
  config: VirtualMachineNetworkConfig,
  virtualMachine: string,
  sources: Sources,
): readonly InterfaceInputs[] {
  const { namespace = '' } = config.metadata;
  const seen = new Set<string>();
  /** Networks on which an interface already has the VM's reservation. */
  const settled = new Set<string>();
  return (config.spec.networkConfigs ?? []).map(({ networkName, macAddress, ipAddress }): InterfaceInputs => {
    const network = networkKey(networkName, namespace);
    const mac = canonicalMac(macAddress) ?? macAddress;
    const key = macKey(network, mac);
    const isRepeated = seen.has(key);
    seen.add(key);
    const pools = sources.pools.of(network);
    const requested = ipAddress === undefined ? undefined : parseIpv4(ipAddress);
    const asksForNothing = requested === undefined && !isReservedForMac(mac, pools);
    const isFirst = asksForNothing && !settled.has(network);
    if (isFirst) settled.add(network);
    const fixed = fixedAddress({ requested, mac, virtualMachine, isFirst }, pools);
    const occupant = fixed === undefined ? undefined : occupantOf(fixed.address, pools, sources);
    const label = networkLabel(network);
    const onNetwork = sources.ipam.leases
      .find(BY_MAC, macKey(label, mac), (lease) => isOn(lease, label, mac))
      .filter((lease) => leaseInputs(lease, sources).length > 0);
    const claim = claimOf(config, { network, mac }, sources.caches);
    const { rival, displaced } = contestOf(config, { network, mac }, onNetwork, sources.caches);
    const held = onNetwork.find((lease) => lease.spec.vmNetworkConfigRef === undefined && isActive(lease));
    const previous = previousOf(config, network, mac);
    return {
      networkName,
      macAddress,
      network,
      label,
      mac,
      isRepeated,
      pools,
      claim,
      displaced,
      ...(rival === undefined ? {} : { rival }),
      ...(fixed === undefined ? {} : { fixed: { ...fixed, ...(occupant === undefined ? {} : { occupant }) } }),
      ...(held === undefined ? {} : { held }),
      ...(previous === undefined ? {} : { previous }),
    };
  });
}

function occupantOf(address: number, pools: readonly PoolInputs[], { ipam }: Sources): IPLease | undefined {
  return ipam.leaseAt(
    pools.map(({ pool }) => pool),
    address,
  );
}

/** Whether the VM exists, or its guest still runs. */
function hasMachine({ metadata, spec }: VirtualMachineNetworkConfig, { caches }: Sources): boolean {
  const ref = { namespace: metadata.namespace ?? '', name: spec.vmName };
  return caches.virtualMachines.get(ref) !== undefined || caches.instances.get(ref) !== undefined;
}

function previousOf({ metadata, status }: VirtualMachineNetworkConfig, network: string, mac: string) {
  const entry = status?.networkConfigs?.find(
    ({ networkName = '', macAddress = '', state }) =>
      state !== 'Stale' &&
      networkKey(networkName, metadata.namespace ?? '') === network &&
      canonicalMac(macAddress) === mac,
  );
  return entry?.allocatedIPAddress === undefined ? undefined : parseIpv4(entry.allocatedIPAddress);
}

function isOn(lease: IPLease, label: string, mac: string): boolean {
  return networkLabelOf(lease) === label && canonicalMac(lease.spec.macAddress) === mac;
}

function isRef(ref: { namespace?: string | undefined; name: string } | undefined, key: string): boolean {
  return ref !== undefined && `${ref.namespace ?? ''}/${ref.name}` === key;
}
