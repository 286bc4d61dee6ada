import type { IPPool } from './network-resources.ts';
import { isOlder } from './object.ts';
import { type AddressSpace, addressSpaceOf, collide } from './address-space.ts';

/** The standing of a pool among those of its network. */
export type Standing =
  /** It allocates addresses, and agents serve it. */
  | { holds: true; space: AddressSpace }
  /** It allocates none: its spec is invalid, it has no `ipv4Config`, or it conflicts with an older pool. */
  | { holds: false; space?: AddressSpace; rival?: IPPool };

/**
 * Whether a pool holds its addresses against the others of its network. Of two pools in conflict the older one holds them, by creation
 * time and then by uid, even if that one itself conflicts with an older pool. So the standing of a pool depends on older pools only,
 * and deleting a pool never takes addresses from another.
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

/** Whether two pools would assign one address twice: to clients, or to agents as their own. */
function clash(a: AddressSpace, b: AddressSpace | undefined): boolean {
  if (b === undefined) return false;
  if (collide(a, b)) return true;
  // Agent i has the i-th address of each pool, so an address at two indexes would be on two agents.
  return a.servers.some((server, index) => b.servers.includes(server) && b.servers[index] !== server);
}
