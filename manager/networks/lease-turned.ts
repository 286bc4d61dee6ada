import type { IPLease } from '../../api/index.ts';
import { labelsChanged, or, type Predicate } from '@groundcrew/controller-runtime';

/**
 * Whether a lease has come, gone, been let go or taken back, or has turned out to be in conflict. All else that agents
 * write of it (there are as many reports as there are machines) changes nothing for who asked for it, nor for its pool.
 */
export const leaseTurned: Predicate<IPLease> = or<IPLease>(labelsChanged, (change) => {
  if (change.type !== 'modified') return true;
  const { object, previous } = change;
  return (
    (object.status?.state === 'Declined') !== (previous.status?.state === 'Declined') ||
    object.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp
  );
});
