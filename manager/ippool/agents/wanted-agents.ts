import { networkOfPool } from '../../networks/index.ts';
import {
  byPrecedence,
  contains,
  formatIpv4,
  isNetworkOf,
  parseIpv4Network,
  standingOf,
  type AddressSpace,
  type IPPool,
} from '../../../api/index.ts';

/** The desired state of an agent. */
export interface WantedAgent {
  /** Index of its address in each pool's list of servers. */
  index: number;
  /** Its addresses on the network, `10.0.0.2/24`: one of each pool with enough servers, without duplicates. */
  addresses: readonly string[];
  /** Routes to the pools' relay agents behind a router, so that answers do not take the default route, which leaves the network. */
  routes: readonly Route[];
  /** Namespaces of the network's pools. */
  poolNamespaces: readonly string[];
}

/** A route as in the CNI plugin `static`. */
export interface Route {
  /** `10.1.0.1/32` */
  dst: string;
  gw: string;
}

/** A pool that its network's agents serve, unless it is paused. */
export interface Member {
  pool: IPPool;
  space: AddressSpace;
}

/** The pools with agents, by precedence; without those being deleted or without usable addresses. */
export function membersOf(pools: readonly IPPool[]): Member[] {
  return pools
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted(byPrecedence)
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
  return isNetworkOf(networkOfPool(pool), pool.metadata.namespace ?? '');
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
    routes: routesOf(members.filter(({ space }) => space.servers[index] !== undefined)),
    poolNamespaces,
  }));
}

/** The first route to each destination; none to relay agents on the network itself. */
function routesOf(members: readonly Member[]): Route[] {
  const routes = members.flatMap(({ pool, space: { router } }) => {
    const relays = (pool.spec.ipv4Config?.relays ?? []).flatMap((text) => parseIpv4Network(text) ?? []);
    const remote = relays.filter((relay) => !members.some(({ space }) => contains(space.cidr, relay.first)));
    if (router === undefined) return [];
    return remote.map(({ first, prefix }) => ({ dst: `${formatIpv4(first)}/${prefix}`, gw: formatIpv4(router) }));
  });
  return routes.filter(({ dst }, place) => routes.findIndex((other) => other.dst === dst) === place);
}

/** `10.0.0.2/24` as a list of one; empty if the pool has no server of that index. */
export function addressOf({ servers, cidr }: AddressSpace, index: number): string[] {
  const server = servers[index];
  return server === undefined ? [] : [`${formatIpv4(server)}/${cidr.prefix}`];
}
