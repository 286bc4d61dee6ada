import { clone, isObject, type Json, type JsonObject } from '../json.ts';
import type { Schema } from '../schema/index.ts';
import type { FieldSet } from './field-set.ts';
import { childrenOf, childSchema, structureOf } from './structure.ts';

/** `live` with all that `config` says; what `config` does not mention stays. Both are left as they are. */
export function merge(live: Json | undefined, config: Json | undefined, schema: Schema | undefined): Json | undefined {
  if (config === undefined) return clone(live);
  const structure = structureOf(config, schema);
  if (structure === 'leaf' || live === undefined || structureOf(live, schema) !== structure) return clone(config);
  const old = childrenOf(live, schema, '');
  const next = childrenOf(config, schema, '');
  const merged = (element: string) => merge(old.get(element), next.get(element), childSchema(schema, element)) ?? null;
  if (structure === 'map') {
    return Object.fromEntries(
      [...new Set([...old.keys(), ...next.keys()])].map((element) => [element.slice(2), merged(element)]),
    );
  }
  return mergedOrder([...old.keys()], [...next.keys()]).map(merged);
}

/**
 * Items of both lists come in the applied order, items of one list alone where they stood: structured-merge-diff's order.
 */
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
      left += 1; // placed already, or to be placed when its turn in the applied order comes
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

/** `value` without the fields and items of the set; undefined when it is itself in the set. */
export function remove(value: Json | undefined, set: FieldSet, schema: Schema | undefined): Json | undefined {
  if (set.self) return undefined;
  if (set.children.size === 0 || structureOf(value, schema) === 'leaf') return value;
  const kept: [string, Json][] = [];
  for (const [element, child] of childrenOf(value, schema, '')) {
    const rest = remove(child, set.child(element), childSchema(schema, element));
    if (rest !== undefined) kept.push([element, rest]);
  }
  if (Array.isArray(value)) return kept.map(([, child]) => child);
  const object: JsonObject = {};
  for (const [element, child] of kept) object[element.slice(2)] = child;
  return isObject(value) ? object : value;
}
