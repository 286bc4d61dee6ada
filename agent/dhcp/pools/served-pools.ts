import { type IPPool, networkKey, standingOf } from '../../../api/index.ts';
import type { NetworkSettings, Subnet } from '../../../protocols/dhcp/index.ts';

/**
 * The pools of a network that agents serve: not paused, and in no conflict with an older pool.
 *
 * @param network `namespace/name` of the net-attach-def
 */
export function servedPools(pools: readonly IPPool[], network: string): IPPool[] {
  const ofNetwork = pools.filter(
    ({ metadata, spec }) => networkKey(spec.networkName, metadata.namespace ?? '') === network,
  );
  return ofNetwork.filter((pool) => pool.spec.paused !== true && standingOf(pool, ofNetwork).holds);
}

/**
 * Adds the subnets and servers of the network's other pools to the settings of a pool. The pools share a link and agents: a client
 * that was moved between them may still name a server by its address in the other pool.
 */
export function amongOthers(settings: NetworkSettings, all: readonly NetworkSettings[]): NetworkSettings {
  const others = all
    .map(({ subnet, prefix }) => ({ subnet, prefix }))
    .filter((other) => !isSameNetwork(other, settings))
    .filter((other, place, list) => list.findIndex((same) => isSameNetwork(same, other)) === place);
  const siblings = [...new Set([settings, ...all].flatMap((each) => each.siblings))];
  return { ...settings, siblings, ...(others.length > 0 && { others }) };
}

function isSameNetwork(a: Subnet, b: Subnet): boolean {
  return a.subnet === b.subnet && a.prefix === b.prefix;
}
