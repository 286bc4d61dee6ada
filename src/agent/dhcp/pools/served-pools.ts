import {
  contains,
  isOlder,
  networkKey,
  overlap,
  parseIpv4,
  parseIpv4Cidr,
  parseIpv4Range,
  type IPPool,
  type Ipv4Range,
} from '../../../api/index.ts';
import { serversOf } from './servers-of.ts';

/**
 * Those pools of a network that are served. Not: paused ones; those whose addresses make no sense; and those that collide
 * with an older one whose addresses do, as the manager judges it too, since it gives their server addresses to no agent.
 *
 * @param network `namespace/name` of the net-attach-def
 */
export function servedPools(pools: readonly IPPool[], network: string): IPPool[] {
  const ofNetwork = pools
    .filter(({ metadata, spec }) => networkKey(spec.networkName, metadata.namespace ?? '') === network)
    .toSorted((a, b) => (isOlder(a, b) ? -1 : 1));
  return ofNetwork.filter((pool, index) => {
    const range = rangeOf(pool);
    const older = ofNetwork.slice(0, index);
    return pool.spec.paused !== true && range !== undefined && !older.some((other) => clash(pool, range, other));
  });
}

/** Whether two pools would give one address to two clients, or to two agents of the network as their own. */
function clash(pool: IPPool, range: Ipv4Range, other: IPPool): boolean {
  const otherRange = rangeOf(other);
  if (otherRange === undefined) return false;
  if (overlap(range, otherRange)) return true;
  const others = serversOf(other);
  return serversOf(pool).some((server, index) => others.includes(server) && others[index] !== server);
}

/** What the pool gives addresses from; undefined where any of its addresses makes no sense, so that it gives none. */
function rangeOf(pool: IPPool): Ipv4Range | undefined {
  const config = pool.spec.ipv4Config;
  if (config === undefined) return undefined;
  const { cidr, router, pool: range } = config;
  const network = parseIpv4Cidr(cidr);
  const [first, last] = [parseIpv4(range.start), parseIpv4(range.end)];
  const own = [...serversOf(pool), ...(router === undefined ? [] : [router])].map(parseIpv4);
  const excluded = (range.exclude ?? []).map(parseIpv4Range);
  if (network === undefined || first === undefined || last === undefined || last < first) return undefined;
  const isSound = contains(network, first) && contains(network, last) && ![...own, ...excluded].includes(undefined);
  return isSound ? { first, last } : undefined;
}
