import { keyOf, type Cache, type KubeObject, type Metrics } from '@groundcrew/controller-runtime';
import type { IPPool } from '../api/index.ts';
import { networkOfPool } from './networks/index.ts';

/** A resource with conditions. */
type Conditioned = KubeObject & {
  status?: { conditions?: readonly { type: string; status: string }[] };
};

type Listed = Pick<Cache<Conditioned>, 'kind' | 'subscribe'>;

const CONDITION = ['kind', 'namespace', 'name', 'type', 'status'] as const;

type Shown = readonly (readonly [type: string, status: string])[];

/**
 * The conditions of BMCs and pools. A condition has one series, with its current status: an alert needs no knowledge of
 * the others. Every manager exports all, so queries take the maximum over managers.
 */
export function conditionGauge(metrics: Metrics, caches: readonly Listed[]): void {
  const description = {
    name: 'groundcrew_resource_condition',
    help: 'Conditions of VirtualMachineBMCs and IPPools: 1 for the current status',
    labelNames: CONDITION,
  };
  const all = caches.map((cache) => ({ kind: cache.kind.kind, shown: shownConditions(cache) }));
  metrics.gauge(description, function* () {
    for (const { kind, shown } of all) {
      for (const [key, conditions] of shown) {
        const slash = key.indexOf('/');
        const object = { kind, namespace: key.slice(0, slash), name: key.slice(slash + 1) };
        for (const [type, status] of conditions) yield { labels: { ...object, type, status }, value: 1 };
      }
    }
  });
}

/** Far more than there are combinations of the statuses that occur. */
const MOST_KNOWN = 1000;

/** The conditions of each object. Most objects have the same, which are stored once. */
function shownConditions(cache: Listed): ReadonlyMap<string, Shown> {
  const shown = new Map<string, Shown>();
  const known = new Map<string, Shown>();
  cache.subscribe(({ type: change, object: { metadata, status } }) => {
    const conditions = (status?.conditions ?? []).map(({ type, status: value }) => [type, value] as const);
    const text = JSON.stringify(conditions);
    const same = known.get(text) ?? conditions;
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(text, same);
    if (change === 'deleted') shown.delete(keyOf(metadata));
    else shown.set(keyOf(metadata), same);
  });
  return shown;
}

const POOL = ['ippool', 'cidr', 'network'] as const;
const POOL_GAUGES = [
  ['vmdhcpcontroller_ippool_used', 'used', 'Leased addresses of the pool'],
  ['vmdhcpcontroller_ippool_available', 'available', 'Addresses of the pool that can be leased'],
  ['groundcrew_ippool_addresses', 'total', 'All addresses of the pool, leased or not'],
  ['groundcrew_ippool_resting_addresses', 'resting', 'Addresses without a VM whose last lease has not expired'],
] as const;

/** The usage of pools and the readiness of their agents, from their status. Two have the names of vm-dhcp-controller. */
export function poolGauges(metrics: Metrics, pools: Pick<Cache<IPPool>, 'list'>): void {
  for (const [name, field, help] of POOL_GAUGES) {
    metrics.gauge({ name, help, labelNames: POOL }, () =>
      pools.list().flatMap((pool) => {
        const value = pool.status?.ipv4?.[field];
        return value === undefined ? [] : [{ labels: labelsOf(pool), value }];
      }),
    );
  }
  const description = {
    name: 'groundcrew_ippool_agent_ready',
    help: 'Whether the DHCP agent with this server address answers: 1 or 0',
    labelNames: [...POOL, 'server_ip'] as const,
  };
  metrics.gauge(description, () =>
    pools.list().flatMap((pool) =>
      (pool.status?.agents ?? []).map(({ serverIP, ready }) => ({
        labels: { ...labelsOf(pool), server_ip: serverIP },
        value: ready === true ? 1 : 0,
      })),
    ),
  );
}

function labelsOf(pool: IPPool): Record<(typeof POOL)[number], string> {
  return {
    ippool: keyOf(pool.metadata),
    cidr: pool.spec.ipv4Config?.cidr ?? '',
    network: networkOfPool(pool),
  };
}
