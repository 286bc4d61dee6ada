import { contains, type Ipv4 } from '../../../api/index.ts';
import type { FixedAddress, PoolInputs } from '../inputs.ts';

export interface Asking {
  /** `ipAddress` of the spec. */
  requested?: Ipv4 | undefined;
  /** Canonical. */
  mac: string;
  /** `namespace/name`. */
  virtualMachine: string;
  /** Whether this interface gets the VM's reservation: the first on the network without another request. */
  isFirst: boolean;
}

/** The fixed address of an interface: from its spec, else from a reservation; undefined: any address. */
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
      // A reservation outside the pool's network is not usable, like such a request.
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

/** Whether a pool has a reservation for the MAC address. */
export function isReservedForMac(mac: string, pools: readonly PoolInputs[]): boolean {
  return pools.some((pool) => ofMac(mac)(pool) !== undefined);
}

/**
 * An address in a range belongs to that pool; other addresses to the oldest pool whose network contains them. If that
 * pool is not active, no other replaces it: leases of two pools have different names, so the address could be leased
 * twice.
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
