import { networkOfPool } from '../../networks/index.ts';
import { formatIpv4, isOlder, standingOf, type AddressSpace, type IPPool } from '../../../api/index.ts';

/** The desired state of an agent. */
export interface WantedAgent {
  /** Index of its address in each pool's list of servers. */
  index: number;
  /** Its addresses on the network, `10.0.0.2/24`: one of each pool with enough servers, without duplicates. */
  addresses: readonly string[];
  /** Namespaces of the network's pools. */
  poolNamespaces: readonly string[];
}

/** A pool that its network's agents serve, unless it is paused. */
export interface Member {
  pool: IPPool;
  space: AddressSpace;
}

/** The pools with agents, oldest first; without those being deleted or without usable addresses. */
export function membersOf(pools: readonly IPPool[]): Member[] {
  return pools
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => (isOlder(a, b) ? -1 : 1))
    .flatMap((pool) => {
      const standing = standingOf(pool, pools);
      return standing.holds ? [{ pool, space: standing.space }] : [];
    });
}

/**
 * The pool whose `spec.agent` counts, since the agents serve all pools: the oldest of the network's namespace. A pool of another
 * namespace would otherwise choose the image, nodes and pull Secrets of pods there.
 */
export function decidingPool(members: readonly Member[]): IPPool | undefined {
  return members.find(({ pool }) => isOfItsNamespace(pool))?.pool;
}

/** Whether the pool and its network are in one namespace. */
export function isOfItsNamespace(pool: IPPool): boolean {
  return networkOfPool(pool).startsWith(`${pool.metadata.namespace ?? ''}/`);
}

/**
 * One agent for each server address, by the pool with the most; none if all pools are paused. A paused pool beside
 * others keeps its addresses on the agents, so that pausing does not restart them.
 */
export function wantedAgents(members: readonly Member[]): WantedAgent[] {
  if (members.every(({ pool }) => pool.spec.paused === true)) return [];
  const poolNamespaces = [...new Set(members.map(({ pool }) => pool.metadata.namespace ?? ''))].toSorted();
  const count = Math.max(...members.map(({ space }) => space.servers.length));
  return Array.from({ length: count }, (_, index) => ({
    index,
    addresses: [...new Set(members.flatMap(({ space }) => addressOf(space, index)))],
    poolNamespaces,
  }));
}

/** `10.0.0.2/24` as a list of one; empty if the pool has no server of that index. */
export function addressOf({ servers, cidr }: AddressSpace, index: number): string[] {
  const server = servers[index];
  return server === undefined ? [] : [`${formatIpv4(server)}/${cidr.prefix}`];
}
