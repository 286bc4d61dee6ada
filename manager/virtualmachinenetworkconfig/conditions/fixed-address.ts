import { contains, type Ipv4 } from '../../../api/index.ts';
import type { FixedAddress, PoolInputs } from '../inputs.ts';

export interface Asking {
  /** `ipAddress` of the spec. */
  requested?: Ipv4 | undefined;
  /** Canonical. */
  mac: string;
  /** `namespace/name`. */
  virtualMachine: string;
  /** Whether what is reserved for the VM is for this interface: the first on the network that asks for nothing else. */
  isFirst: boolean;
}

/** The address that alone will do for an interface: what its spec says, else what a pool has reserved; undefined: any will do. */
export function fixedAddress(
  { requested, mac, virtualMachine, isFirst }: Asking,
  pools: readonly PoolInputs[],
): Omit<FixedAddress, 'occupant'> | undefined {
  if (requested !== undefined) {
    const pool = poolFor(requested, pools);
    const reservation = pool?.addresses?.reservations.at(requested);
    const isOwn = reservation?.macAddress === mac || reservation?.virtualMachine === virtualMachine;
    return {
      address: requested,
      by: 'spec',
      ...(pool === undefined ? {} : { pool }),
      keptForOther: reservation !== undefined && !isOwn,
      ...(isOwn && reservation.hostname !== undefined ? { hostname: reservation.hostname } : {}),
    };
  }
  for (const find of [ofMac(mac), ...(isFirst ? [ofVirtualMachine(virtualMachine)] : [])]) {
    for (const pool of pools) {
      const reservation = find(pool);
      if (reservation === undefined) continue;
      const { address, hostname } = reservation;
      // Reserved by a pool beside its network is no better than asked for there.
      const isInside = pool.addresses !== undefined && contains(pool.addresses.space.cidr, address);
      return {
        address,
        by: 'reservation',
        ...(isInside ? { pool } : {}),
        keptForOther: false,
        ...(hostname === undefined ? {} : { hostname }),
      };
    }
  }
  return undefined;
}

/** Whether a pool has something reserved for the MAC address. */
export function isReservedForMac(mac: string, pools: readonly PoolInputs[]): boolean {
  return pools.some((pool) => ofMac(mac)(pool) !== undefined);
}

/**
 * An address in a range is that pool's; others are the oldest's whose network they are in. One that does not give at present
 * is not stood in for by another: leases of two pools have two names, so both could have the address leased.
 */
function poolFor(address: Ipv4, pools: readonly PoolInputs[]): PoolInputs | undefined {
  const inRange = pools.filter(({ addresses }) => addresses !== undefined && contains(addresses.space.range, address));
  const inNetwork = pools.filter(({ addresses }) => addresses !== undefined && contains(addresses.space.cidr, address));
  const gives = ({ standing }: PoolInputs): boolean => standing === 'Gives';
  const mayGive = (pool: PoolInputs): boolean => gives(pool) || pool.standing === 'Paused';
  return inRange.find(gives) ?? inRange[0] ?? inNetwork.find(mayGive) ?? inNetwork[0];
}

function ofMac(mac: string) {
  return ({ addresses }: PoolInputs) => addresses?.reservations.ofMac(mac);
}

function ofVirtualMachine(virtualMachine: string) {
  return ({ addresses }: PoolInputs) => addresses?.reservations.ofVirtualMachine(virtualMachine);
}
