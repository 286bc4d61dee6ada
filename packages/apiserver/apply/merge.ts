import { clone, type Json } from '../json.ts';
import type { Schema } from '../schema/index.ts';
import type { FieldSet } from './field-set.ts';
import { childrenOf, childSchema, entriesOf, structureOf } from './structure.ts';

/**
 * Merges `config` into a copy of `live`. Fields and items that `config` omits stay, as do maps and keyed lists that it
 * sets to null.
 */
export function merge(live: Json | undefined, config: Json | undefined, schema: Schema | undefined): Json | undefined {
  if (config === undefined) return clone(live);
  const structure = structureOf(config ?? live, schema);
  const isMismatch = live !== undefined && live !== null && structureOf(live, schema) !== structure;
  if (structure === 'leaf' || live === undefined || isMismatch || (isEmpty(live) && isEmpty(config)))
    return clone(config);
  const old = childrenOf(live, schema, '');
  const next = childrenOf(config, schema, '');
  const merged = (element: string) => {
    const [mine, ...others] = old.get(element) ?? [];
    // Duplicate items are replaced, not merged.
    return merge(others.length > 0 ? null : mine, next.get(element)?.[0], childSchema(schema, element)) ?? null;
  };
  if (structure === 'map') {
    return Object.fromEntries(
      [...new Set([...old.keys(), ...next.keys()])].map((element) => [element.slice(2), merged(element)]),
    );
  }
  const items = entriesOf(live, schema, '').map(([element]) => element);
  return mergedOrder(items, [...next.keys()]).map((element) =>
    next.has(element) ? merged(element) : clone(old.get(element)?.shift() ?? null),
  );
}

function isEmpty(value: Json): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** The order of structured-merge-diff: common items in the applied order, the others at their position. */
function mergedOrder(old: string[], next: string[]): string[] {
  const known = new Set(old);
  const applied = new Set(next);
  const shared = next.filter((element) => known.has(element));
  const order: string[] = [];
  const done = new Set<string>();
  let left = 0;
  let right = 0;
  while (left < old.length || right < next.length) {
    const mine = old[left];
    const theirs = next[right];
    if (
      mine !== undefined &&
      (done.has(mine) || (mine !== theirs && applied.has(mine) && theirs !== undefined && shared[0] !== mine))
    ) {
      left += 1; // placed already, or placed later in the applied order
    } else if (mine !== undefined && !applied.has(mine)) {
      order.push(mine);
      left += 1;
    } else if (theirs !== undefined) {
      order.push(theirs);
      done.add(theirs);
      if (shared[0] === theirs) shared.shift();
      right += 1;
    } else {
      left += 1;
    }
  }
  return order;
}

/** `value` without the fields and items of the set. An emptied value becomes null, as in Go. */
export function remove(value: Json, set: FieldSet, schema: Schema | undefined): Json {
  if (set.children.size === 0) return value;
  // An atomic list or map is removed if the set contains any part of it.
  if (structureOf(value, schema) === 'leaf') return typeof value === 'object' ? null : value;
  const kept: [string, Json][] = [];
  for (const [element, child] of entriesOf(value, schema, '')) {
    const below = set.child(element);
    if (!below.self) kept.push([element, remove(child, below, childSchema(schema, element))]);
  }
  if (kept.length === 0) return null;
  if (Array.isArray(value)) return kept.map(([, child]) => child);
  return Object.fromEntries(kept.map(([element, child]) => [element.slice(2), child]));
}
