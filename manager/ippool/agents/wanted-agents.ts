import { formatIpv4, isOlder, networkKey, standingOf, type AddressSpace, type IPPool } from '../../../api/index.ts';

/** An agent that a network should have. */
export interface WantedAgent {
  /** Of its address in each pool's servers. */
  index: number;
  /** Its own addresses on the network, `10.0.0.2/24`: one of each pool that has so many servers, each once. */
  addresses: readonly string[];
  /** Namespaces of the network's pools. */
  poolNamespaces: readonly string[];
}

/** A pool that its network's agents serve, unless it is paused. */
export interface Member {
  pool: IPPool;
  space: AddressSpace;
}

/** The pools that agents are for, oldest first: not those on their way out, nor those that have no addresses to give. */
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
 * One agent for each server address that a pool has at most; none where all pools are paused. A paused pool beside
 * others keeps its addresses on the agents, so that pausing it restarts nobody.
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

/** `10.0.0.2/24`, in a list of one; empty where the pool has no server of that index. */
export function addressOf({ servers, cidr }: AddressSpace, index: number): string[] {
  const server = servers[index];
  return server === undefined ? [] : [`${formatIpv4(server)}/${cidr.prefix}`];
}

export function networkOfPool({ metadata, spec }: IPPool): string {
  return networkKey(spec.networkName, metadata.namespace ?? '');
}
