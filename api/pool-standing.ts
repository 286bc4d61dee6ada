import type { IPPool } from './network-resources.ts';
import { isOlder } from './object.ts';
import { type AddressSpace, addressSpaceOf, collide } from './address-space.ts';

/** Where a pool stands among those of its network. */
export type Standing =
  /** It gives addresses, and agents serve it. */
  | { holds: true; space: AddressSpace }
  /** Its spec makes no sense, it has no IPv4 side, or an older pool has what it asks for: it gives none. */
  | { holds: false; space?: AddressSpace; rival?: IPPool };

/**
 * Whether a pool holds its addresses against the others of its network. Of two that collide the older one does, by
 * creation time and then by uid, whether or not it is itself a younger one's rival: so no pool's standing turns on more
 * than the pools that are older than it, and the end of one pool never takes from another what it has.
 *
 * @param others of the same network; the pool itself may be among them
 */
export function standingOf(pool: IPPool, others: readonly IPPool[]): Standing {
  const { space } = addressSpaceOf(pool.spec);
  if (space === undefined) return { holds: false };
  const rival = others
    .filter((other) => isOlder(other, pool))
    .toSorted((a, b) => (isOlder(a, b) ? -1 : 1))
    .find((other) => clash(space, addressSpaceOf(other.spec).space));
  return rival === undefined ? { holds: true, space } : { holds: false, space, rival };
}

/** Whether two pools would give one address to two: to clients, or to the agents of the network as their own. */
function clash(a: AddressSpace, b: AddressSpace | undefined): boolean {
  if (b === undefined) return false;
  if (collide(a, b)) return true;
  // An agent has one address of each pool, by its index: the same one at another index would be on two agents.
  return a.servers.some((server, index) => b.servers.includes(server) && b.servers[index] !== server);
}
