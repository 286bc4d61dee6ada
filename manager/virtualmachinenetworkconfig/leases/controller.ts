import { LABELS, type IPLease, type VirtualMachineNetworkConfig } from '../../../api/index.ts';
import { Controller, keyOf, self, source, type Metrics, type Predicate } from '@groundcrew/controller-runtime';
import { BY_CONFIG, RETRIES, type NetworkCaches } from '../../networks/index.ts';
import { LeaseReconciler, type LeaseReconcilerOptions } from './reconciler.ts';

export interface LeaseControllerOptions extends Omit<LeaseReconcilerOptions, 'pools' | 'configs' | 'awayUntil'> {
  caches: Pick<NetworkCaches, 'leases' | 'configs' | 'pools' | 'leasesAwayUntil'>;
  metrics?: Metrics | undefined;
  /** Leases that are worked on at a time. */
  workers: number;
}

/** The controller of IPLeases: their end. */
export function leaseController(options: LeaseControllerOptions): Controller {
  const { caches, clock, logger, metrics, workers } = options;
  const reconciler = new LeaseReconciler({
    ...options,
    pools: caches.pools,
    configs: caches.configs,
    awayUntil: () => caches.leasesAwayUntil(),
  });
  return new Controller({
    name: 'iplease',
    reconcile: async (ref) => await reconciler.reconcile(ref),
    sources: [
      source(caches.leases, self, concernsItsEnd),
      source<VirtualMachineNetworkConfig>(
        caches.configs,
        ({ metadata }) => caches.leases.byIndex(BY_CONFIG, keyOf(metadata)).flatMap(self),
        ({ type }) => type === 'deleted',
      ),
    ],
    workers,
    rateLimit: RETRIES,
    clock,
    logger,
    metrics,
  });
}

/** Of a lease that is served the agents' every report is passed over: there are as many as there are machines. */
const concernsItsEnd: Predicate<IPLease> = (change) =>
  change.type !== 'modified' || isMarked(change.object) || isMarked(change.previous);

function isMarked({ metadata: { labels } }: IPLease): boolean {
  return labels?.[LABELS.released] !== undefined || labels?.[LABELS.retained] !== undefined;
}
