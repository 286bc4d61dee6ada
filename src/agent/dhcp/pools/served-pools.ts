import { isOlder, networkKey, overlap, parseIpv4, type IPPool, type Ipv4Range } from '../../../api/index.ts';
import { serversOf } from './servers-of.ts';

/**
 * Those pools of a network that are served. Not: paused ones; those without a range of addresses; and those that collide
 * with an older one, as the manager judges it too, since it gives their server addresses to no agent.
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

function rangeOf({ spec: { ipv4Config } }: IPPool): Ipv4Range | undefined {
  const first = parseIpv4(ipv4Config?.pool.start ?? '');
  const last = parseIpv4(ipv4Config?.pool.end ?? '');
  return first === undefined || last === undefined || last < first ? undefined : { first, last };
}
