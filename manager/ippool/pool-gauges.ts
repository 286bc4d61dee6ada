import type { IPPool } from '../../api/index.ts';
import { keyOf, type Cache, type Metrics } from '@groundcrew/controller-runtime';
import { networkOfPool } from './agents/wanted-agents.ts';

const LABELS = ['ippool', 'cidr', 'network'] as const;

/** Metrics of the usage of pools, from their status, with the metric names of vm-dhcp-controller. */
export function poolGauges(metrics: Metrics, pools: Cache<IPPool>): void {
  for (const [field, help] of [
    ['used', 'Leased addresses of the pool'],
    ['available', 'Addresses of the pool that can be leased'],
  ] as const) {
    metrics.gauge({ name: `vmdhcpcontroller_ippool_${field}`, help, labelNames: LABELS }, () =>
      pools.list().flatMap((pool) => {
        const value = pool.status?.ipv4?.[field];
        if (value === undefined) return [];
        const cidr = pool.spec.ipv4Config?.cidr ?? '';
        return [{ labels: { ippool: keyOf(pool.metadata), cidr, network: networkOfPool(pool) }, value }];
      }),
    );
  }
}
