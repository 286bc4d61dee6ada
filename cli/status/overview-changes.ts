import type { Overview, Problem } from './overview.ts';
import { inOrder, type Row, type Section } from './overview-order.ts';

/** What differs between two {@link Overview}s of one cluster. A section without a difference is absent. */
export interface OverviewChange {
  time: string;
  healthy: boolean;
  /** Rows that are new or differ. */
  set: { [S in Section]?: Row<S>[] };
  /** Keys of rows that are no more, as {@link keyOf} gives them. */
  gone: { [S in Section]?: string[] };
  replace: { problems?: Problem[] };
}

/** The text by which a row is known in its section. */
export function keyOf<S extends Section>(section: S, row: Row<S>): string {
  return KEYS[section](row);
}

const KEYS: { readonly [S in Section]: (row: Row<S>) => string } = {
  managers: ({ namespace }) => namespace,
  rollouts: ({ namespace }) => namespace,
  sharedAgents: nameOf,
  bmcs: nameOf,
  pools: nameOf,
  // A client may have a second address in a pool that rests or is in quarantine, and none while it waits.
  leases: ({ poolNamespace = '', pool, address, macAddress, namespace, name }) =>
    [poolNamespace, pool, address, macAddress, namespace, name].join(' '),
  networkConfigs: nameOf,
  events: ({ id }) => id,
};

const SECTIONS = Object.keys(KEYS) as Section[];

/** @returns undefined if nothing but the time differs */
export function changeBetween(before: Overview, after: Overview): OverviewChange | undefined {
  const change: OverviewChange = { time: after.time, healthy: after.healthy, set: {}, gone: {}, replace: {} };
  for (const section of SECTIONS) compare(section, before, after, change);
  if (!isSame(before.problems, after.problems)) change.replace.problems = after.problems;
  const { set, gone, replace } = change;
  const isChanged = [set, gone, replace].some((part) => Object.keys(part).length > 0);
  return isChanged || before.healthy !== after.healthy ? change : undefined;
}

function compare(section: Section, before: Overview, after: Overview, change: OverviewChange): void {
  const was: readonly Row<Section>[] = before[section];
  const is: readonly Row<Section>[] = after[section];
  // Nearly all are the same rows at the same places.
  const old = byKey(
    section,
    was.filter((row, index) => row !== is[index]),
  );
  const set: Row<Section>[] = [];
  for (const [index, row] of is.entries()) {
    if (row === was[index]) continue;
    const key = keyOf(section, row);
    if (!isSame(old.get(key), row)) set.push(row);
    old.delete(key);
  }
  if (set.length > 0) Object.assign(change.set, { [section]: set });
  if (old.size > 0) Object.assign(change.gone, { [section]: [...old.keys()] });
}

/** The overview after a change. Sections without a difference, and rows, are the same objects as before. */
export function applyChange(overview: Overview, { time, healthy, set, gone, replace }: OverviewChange): Overview {
  const next: Overview = { ...overview, ...replace, time, healthy };
  for (const section of SECTIONS) {
    if (set[section] !== undefined || gone[section] !== undefined)
      Object.assign(next, { [section]: changed(section, overview[section], set[section], gone[section]) });
  }
  return next;
}

function changed<S extends Section>(
  section: S,
  rows: readonly Row<S>[],
  set: readonly Row<S>[] = [],
  gone: readonly string[] = [],
): Row<S>[] {
  const all = byKey(section, rows);
  for (const key of gone) all.delete(key);
  for (const row of set) all.set(keyOf(section, row), row);
  return inOrder(section, [...all.values()]);
}

function byKey<S extends Section>(section: S, rows: readonly Row<S>[]): Map<string, Row<S>> {
  return new Map(rows.map((row) => [keyOf(section, row), row]));
}

function nameOf({ namespace, name }: { namespace: string; name: string }): string {
  return `${namespace}/${name}`;
}

/** Whether two values of JSON are equal. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isCompound(a) || !isCompound(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => isSame(a[key], b[key]));
}

function isCompound(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
