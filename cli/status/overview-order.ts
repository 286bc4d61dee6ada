import type { Overview } from './overview.ts';

/** The lists of an {@link Overview} whose rows have keys. The order of problems has a meaning, so they are not among them. */
export type Section = Exclude<keyof Overview, 'healthy' | 'time' | 'problems'>;
export type Row<S extends Section> = Overview[S][number];

/** Sorts rows in place as they are shown. No two rows are equal, so that changes applied to rows give the same order. */
export function inOrder<S extends Section>(section: S, rows: Row<S>[]): Row<S>[] {
  return rows.sort(ORDERS[section]);
}

/** Compares by namespace and name. */
export function byName(a: { namespace?: string; name: string }, b: { namespace?: string; name: string }): number {
  return byNamespace(a, b) || a.name.localeCompare(b.name);
}

function byNamespace(a: { namespace?: string }, b: { namespace?: string }): number {
  return (a.namespace ?? '').localeCompare(b.namespace ?? '');
}

const ORDERS: { readonly [S in Section]: (a: Row<S>, b: Row<S>) => number } = {
  managers: byNamespace,
  rollouts: byNamespace,
  sharedAgents: byName,
  bmcs: byName,
  pools: byName,
  leases: (a, b) =>
    byName(a, b) ||
    a.macAddress.localeCompare(b.macAddress) ||
    a.address.localeCompare(b.address) ||
    a.pool.localeCompare(b.pool) ||
    (a.poolNamespace ?? '').localeCompare(b.poolNamespace ?? ''),
  networkConfigs: byName,
  events: (a, b) => b.time.localeCompare(a.time) || a.id.localeCompare(b.id),
};
