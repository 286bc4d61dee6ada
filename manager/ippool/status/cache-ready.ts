import type { PoolInputs } from './inputs.ts';
import { holds, holdsNot, type ConditionResult } from '../../conditions.ts';
import { listOf } from './list-of.ts';
import { REASONS } from './reasons.ts';

/** Whether the manager has read the pool's leases, and whether the pool could still lease all of their addresses. */
export function cacheReady({ leasesRead, usage }: PoolInputs): ConditionResult {
  if (!leasesRead) return holdsNot(REASONS.leasesUnread, 'The leases have not been read yet.');
  if (usage === undefined) return holdsNot(REASONS.noAddresses, 'See Registered.');
  if (usage.outside.length > 0)
    return holds(
      REASONS.leasesOutsidePool,
      `Leased, though the pool gives them no more: ${listOf(usage.outside)}. ` +
        'They are kept until they are released, and given to nobody then.',
    );
  return holds(REASONS.cacheReady, 'The leases of the pool are known.');
}
