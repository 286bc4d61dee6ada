import { LABELS, type IPLease, type VirtualMachineNetworkConfig } from '../../../api/index.ts';
import { Controller, keyOf, self, source, type Metrics, type Predicate } from '@groundcrew/controller-runtime';
import { BY_CONFIG, RETRIES, type NetworkCaches } from '../../networks/index.ts';
import { LeaseReconciler, type LeaseReconcilerOptions } from './reconciler.ts';

export interface LeaseControllerOptions extends Omit<LeaseReconcilerOptions, 'pools' | 'configs' | 'awayUntil'> {
  caches: Pick<NetworkCaches, 'leases' | 'configs' | 'pools' | 'leasesAwayUntil'>;
  metrics?: Metrics | undefined;
  /** Concurrent reconciles of leases. */
  workers: number;
}

/** The controller that ends IPLeases. */
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

/** Ignores the agents' frequent reports about active leases. */
const concernsItsEnd: Predicate<IPLease> = (change) =>
  change.type !== 'modified' || isMarked(change.object) || isMarked(change.previous);

function isMarked({ metadata: { labels } }: IPLease): boolean {
  return labels?.[LABELS.released] !== undefined || labels?.[LABELS.retained] !== undefined;
}
