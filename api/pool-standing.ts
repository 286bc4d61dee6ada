import type { IPPool } from './network-resources.ts';
import { isNetworkOf, networkKey } from './names.ts';
import { isOlder } from './object.ts';
import { type AddressSpace, addressSpaceOf, collide, isAllocatable, type PoolProblem } from './address-space.ts';
import { formatIpv4, type Ipv4 } from './ipv4.ts';

/** The standing of a pool among those of its network. */
export type Standing =
  /** It allocates addresses, and agents serve it. */
  | { holds: true; space: AddressSpace }
  /** It allocates none: its spec is invalid, it has no `ipv4Config`, or it conflicts with an older pool. */
  | { holds: false; space?: AddressSpace; rival?: IPPool; conflict?: PoolProblem };

/**
 * Whether a pool holds its addresses against the others of its network. Of two pools in conflict the first one by
 * {@link byPrecedence} holds them, even if that one itself conflicts with an older pool. So the standing of a pool depends on older pools
 * only, and deleting a pool never takes addresses from another.
 *
 * @param others of the same network; the pool itself may be among them
 */
export function standingOf(pool: IPPool, others: readonly IPPool[]): Standing {
  const { space } = addressSpaceOf(pool.spec);
  if (space === undefined) return { holds: false };
  const older = others.filter((other) => byPrecedence(other, pool) < 0).toSorted(byPrecedence);
  for (const rival of older) {
    const conflict = conflictOf({ pool, space }, rival);
    if (conflict !== undefined) return { holds: false, space, rival, conflict };
  }
  return { holds: true, space };
}

/**
 * The order of a network's pools: by creation time, then the one in the network's namespace, then by uid. Creation times are whole
 * seconds: a tenant that is as fast as the owner of a network must not be first.
 */
export function byPrecedence(a: IPPool, b: IPPool): number {
  const isEqual = a.metadata.creationTimestamp === b.metadata.creationTimestamp;
  const isFirst = isEqual && isOwners(a) !== isOwners(b) ? isOwners(a) : isOlder(a, b);
  return isFirst ? -1 : 1;
}

function isOwners({ metadata: { namespace = '' }, spec }: IPPool): boolean {
  return isNetworkOf(networkKey(spec.networkName, namespace), namespace);
}

/** The use of an address that both pools have: by clients, by agents as their own, by a router. The field is that of `pool`. */
function conflictOf({ pool, space }: { pool: IPPool; space: AddressSpace }, rival: IPPool): PoolProblem | undefined {
  const { space: theirs } = addressSpaceOf(rival.spec);
  const config = pool.spec.ipv4Config;
  if (theirs === undefined || config === undefined) return undefined;
  const name = nameOf(rival);
  const range = { field: 'spec.ipv4Config.pool', value: `${config.pool.start}-${config.pool.end}` };
  if (collide(space, theirs)) return { ...range, message: `overlaps ${name}` };
  for (const [index, server] of space.servers.entries()) {
    const use = useOf(server, index, { space: theirs, of: space });
    if (use === undefined) continue;
    const field = `spec.ipv4Config.${index === 0 ? 'serverIP' : `serverIPs[${index}]`}`;
    return { field, value: formatIpv4(server), message: `${USES[use]} ${name}` };
  }
  for (const [index, server] of theirs.servers.entries()) {
    const use = useOf(server, index, { space, of: theirs });
    // A server at two indexes was found above.
    if (use === undefined || use === 'server') continue;
    const value = formatIpv4(server);
    const message = `is a server of ${name}`;
    if (use === 'router') return { field: 'spec.ipv4Config.router', value, message };
    if (use === 'reservation') return { field: 'spec.ipv4Config.reservations', value, message };
    return { ...range, message: `contains ${value}, a server of ${name}: exclude it` };
  }
  return undefined;
}

const USES = {
  server: 'is a server with another index or network in',
  router: 'is the router of',
  reservation: 'is reserved in',
  client: 'may be leased (exclude it there) by',
} as const;

/**
 * The use that a pool has for a server address of another one. Pools of one subnet may share the address of an agent, because agent i
 * has the i-th address of each pool.
 *
 * @param space of the pool with the use; `of`: of the pool with the server
 */
function useOf(
  server: Ipv4,
  index: number,
  { space, of: { cidr } }: { space: AddressSpace; of: AddressSpace },
): keyof typeof USES | undefined {
  if (space.servers.includes(server)) {
    const isShared =
      space.servers[index] === server && space.cidr.first === cidr.first && space.cidr.prefix === cidr.prefix;
    return isShared ? undefined : 'server';
  }
  if (space.router === server) return 'router';
  if (space.reserved.includes(formatIpv4(server))) return 'reservation';
  return isAllocatable(space, server) ? 'client' : undefined;
}

function nameOf({ metadata, spec }: IPPool): string {
  const { start = '', end = '' } = spec.ipv4Config?.pool ?? {};
  return `IPPool ${metadata.namespace ?? ''}/${metadata.name} (${start}-${end}) of the same network`;
}
