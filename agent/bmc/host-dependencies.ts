import { lookup } from 'node:dns/promises';
import type { Clock } from '@groundcrew/controller-runtime';
import { boundedLookup, type HostDependencies } from '../../protocols/hosts/index.ts';

/** Resolution and restrictions of host names that clients give; uses the system's resolver. One per process. */
export function hostDependencies(
  clock: Clock,
  known: Pick<HostDependencies, 'ownApi'> & { allowsLoopback?: boolean } = {},
): HostDependencies {
  return {
    allowsLoopback: false,
    ...known,
    resolve: boundedLookup({
      lookup: async (hostName) => (await lookup(hostName, { all: true })).map(({ address }) => address),
      schedule: (work, delay) => {
        const timer = clock.setTimeout(work, delay);
        return () => {
          timer.cancel();
        };
      },
    }),
  };
}
