import type { IPLease } from '../../api/index.ts';
import { labelsChanged, or, type Predicate } from '@groundcrew/controller-runtime';

/**
 * Whether a lease was created, deleted, released or taken back, or has a new conflict state. Other reports of agents
 * (frequent, one per machine) do not matter to its config or pool.
 */
export const leaseTurned: Predicate<IPLease> = or<IPLease>(labelsChanged, (change) => {
  if (change.type !== 'modified') return true;
  const { object, previous } = change;
  return (
    (object.status?.state === 'Declined') !== (previous.status?.state === 'Declined') ||
    object.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp
  );
});
