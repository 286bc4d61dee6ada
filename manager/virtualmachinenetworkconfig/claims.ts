import {
  canonicalMac,
  isNetworkOf,
  isOlder,
  isRetained,
  networkKey,
  type IPLease,
  type VirtualMachineNetworkConfig,
} from '../../api/index.ts';
import { keyOf } from '@groundcrew/controller-runtime';
import { BY_MAC, BY_VIRTUAL_MACHINE, macKey, type NetworkCaches } from '../networks/index.ts';
import { macsOn } from '../virtualmachine/index.ts';
import { byAge } from '../by-age.ts';
import { isActive } from './conditions/lease-state.ts';

/**
 * How far a virtual machine backs an interface of its config, in descending order: it or its guest has the MAC address on the network;
 * it has an interface there whose MAC address is not known; it has no such interface, or does not exist.
 */
export const CLAIM = { has: 2, mayHave: 1, none: 0 } as const;
export type Claim = (typeof CLAIM)[keyof typeof CLAIM];

export type ClaimSources = Pick<NetworkCaches, 'configs' | 'virtualMachines' | 'instances' | 'hasKubeVirt'>;

/** A MAC address on a network: `namespace/name` of the net-attach-def, and the canonical address. */
export interface Place {
  network: string;
  mac: string;
}

/** The claim of a config to a MAC address, from its namespace's virtual machine alone. */
export function claimOf(config: VirtualMachineNetworkConfig, { network, mac }: Place, sources: ClaimSources): Claim {
  // Without the resource no machine is known to be gone, or to have anything.
  if (!sources.hasKubeVirt()) return CLAIM.mayHave;
  const ref = { namespace: config.metadata.namespace ?? '', name: config.spec.vmName };
  const { macs, unknown } = macsOn(network, sources.virtualMachines.get(ref), sources.instances.get(ref));
  if (macs.has(mac)) return CLAIM.has;
  // As many entries as there are interfaces, so that one machine cannot back any number of addresses.
  const unbacked = sources.configs
    .byIndex(BY_VIRTUAL_MACHINE, keyOf(ref))
    .toSorted((a, b) => (isOlder(a, b) ? -1 : 1))
    .flatMap((each) => placesOf(each).filter((place) => place.network === network && !macs.has(place.mac)))
    .map((place) => place.mac);
  const position = [...new Set(unbacked)].indexOf(mac);
  return position >= 0 && position < unknown ? CLAIM.mayHave : CLAIM.none;
}

function placesOf({ metadata, spec }: VirtualMachineNetworkConfig): Place[] {
  return (spec.networkConfigs ?? []).map(({ networkName, macAddress }) => ({
    network: networkKey(networkName, metadata.namespace ?? ''),
    mac: canonicalMac(macAddress) ?? macAddress,
  }));
}

/** Who has a MAC address on a network besides a config. */
export interface Contest {
  /** The owner with a better claim: another config, or a lease retained for another virtual machine. */
  rival?: VirtualMachineNetworkConfig | IPLease;
  /** Leases of owners with a lesser claim, which still have the MAC address. */
  displaced: readonly IPLease[];
}

/**
 * Decides who has a MAC address on a network. The better claim wins; then the network's own namespace; then the config with an active
 * lease, so that a running VM does not lose its address by a mistake elsewhere; then the oldest. Paused configs have no claim; a config
 * that is being deleted has one until it is gone.
 *
 * @param leases on the network with the MAC address
 */
export function contestOf(
  config: VirtualMachineNetworkConfig,
  place: Place,
  leases: readonly IPLease[],
  sources: ClaimSources,
): Contest {
  const own = claimOf(config, place, sources);
  const others = sources.configs
    .byIndex(BY_MAC, macKey(place.network, place.mac))
    .filter(({ metadata, spec }) => spec.paused !== true && metadata.uid !== config.metadata.uid)
    .filter(({ metadata }) => keyOf(metadata) !== keyOf(config.metadata));
  const served = leases.filter(isActive).toSorted(byAge);
  const claims = new Map([[config, own], ...others.map((other) => [other, claimOf(other, place, sources)] as const)]);
  const rankOf = (one: VirtualMachineNetworkConfig): number[] => {
    const lease = served.findIndex(({ spec }) => isRef(spec.vmNetworkConfigRef, one));
    const isOwners = isNetworkOf(place.network, one.metadata.namespace ?? '');
    return [claims.get(one) ?? CLAIM.none, isOwners ? 1 : 0, lease === -1 ? -served.length : -lease];
  };
  const precedes = (a: VirtualMachineNetworkConfig, b: VirtualMachineNetworkConfig): boolean => {
    const [ranks, theirs] = [rankOf(a), rankOf(b)];
    const at = ranks.findIndex((rank, index) => rank !== theirs[index]);
    return at === -1 ? isOlder(a, b) : (ranks[at] ?? 0) > (theirs[at] ?? 0);
  };
  const [first = config] = [config, ...others].toSorted((a, b) => (precedes(a, b) ? -1 : 1));
  if (first !== config) return { rival: first, displaced: [] };
  // A lease of the same machine is handed over instead.
  const ofOthers = served
    .filter((lease) => !isOfVirtualMachine(lease, config))
    .filter(({ spec }) => spec.vmNetworkConfigRef !== undefined && !isRef(spec.vmNetworkConfigRef, config));
  const displaced = ofOthers.filter(({ spec }) => {
    const holder = others.find((other) => isRef(spec.vmNetworkConfigRef, other));
    return (holder === undefined ? CLAIM.mayHave : (claims.get(holder) ?? CLAIM.none)) < own;
  });
  const hasLease = served.some(({ spec }) => isRef(spec.vmNetworkConfigRef, config));
  const kept = hasLease ? undefined : ofOthers.find((lease) => isRetained(lease) && !displaced.includes(lease));
  return { ...(kept === undefined ? {} : { rival: kept }), displaced };
}

function isRef(ref: IPLease['spec']['vmNetworkConfigRef'], { metadata }: VirtualMachineNetworkConfig): boolean {
  return ref !== undefined && ref.namespace === metadata.namespace && ref.name === metadata.name;
}

function isOfVirtualMachine({ spec: { vmRef } }: IPLease, { metadata, spec }: VirtualMachineNetworkConfig): boolean {
  return vmRef !== undefined && vmRef.namespace === metadata.namespace && vmRef.name === spec.vmName;
}
