import { networkKey, standingOf, type IPPool } from '../../../api/index.ts';

/**
 * Those pools of a network that are served: not paused ones, nor those that the manager gives to no agent.
 *
 * @param network `namespace/name` of the net-attach-def
 */
export function servedPools(pools: readonly IPPool[], network: string): IPPool[] {
  const ofNetwork = pools.filter(
    ({ metadata, spec }) => networkKey(spec.networkName, metadata.namespace ?? '') === network,
  );
  return ofNetwork.filter((pool) => pool.spec.paused !== true && standingOf(pool, ofNetwork).holds);
}
