import { equal, type Json, isObject } from '../json.ts';
import type { Schema } from '../schema/index.ts';
import { FieldSet } from './field-set.ts';
import { childrenOf, childSchema, structureOf, isNamedField } from './structure.ts';

/** The difference between two values of one schema. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

const NOTHING: Comparison = { added: FieldSet.empty, modified: FieldSet.empty, removed: FieldSet.empty };
const HERE = new FieldSet(true, new Map());

/** Compares two values by fields and keyed items; undefined is an absent value. */
export function compare(before: Json | undefined, after: Json | undefined, schema: Schema | undefined): Comparison {
  if (before === after || (before === undefined && after === undefined)) return NOTHING;
  if (isMismatch(before, after, schema)) return compareOther(before, after, schema);
  if (isLeaf(before, after, schema)) return compareLeaf(before, after);
  const added = new Map<string, FieldSet>();
  const modified = new Map<string, FieldSet>();
  const removed = new Map<string, FieldSet>();
  const old = childrenOf(before, schema, '');
  const next = childrenOf(after, schema, '');
  for (const element of new Set([...old.keys(), ...next.keys()])) {
    const inner = compareChildren(old.get(element) ?? [], next.get(element) ?? [], childSchema(schema, element));
    if (!inner.added.isEmpty) added.set(element, inner.added);
    if (!inner.modified.isEmpty) modified.set(element, inner.modified);
    if (!inner.removed.isEmpty) removed.set(element, inner.removed);
  }
  return {
    added: new FieldSet(before === undefined, added),
    modified: new FieldSet(false, modified),
    removed: new FieldSet(after === undefined, removed),
  };
}

/** Compares the items of one path element. Duplicate items are one path without children. */
function compareChildren(before: readonly Json[], after: readonly Json[], schema: Schema | undefined): Comparison {
  if (before.length < 2 && after.length < 2) return compare(before[0], after[0], schema);
  if (before.length < 2) return { ...compare(before[0], undefined, schema), added: HERE };
  if (after.length < 2) return { ...compare(undefined, after[0], schema), removed: HERE };
  return equal([...before], [...after]) ? NOTHING : { ...NOTHING, modified: HERE };
}

/** Whether the structure of the value changes. */
function isMismatch(before: Json | undefined, after: Json | undefined, schema: Schema | undefined): boolean {
  if ((before ?? null) === null || (after ?? null) === null) return false;
  return structureOf(before, schema) !== structureOf(after, schema);
}

/** The children of the old value are removed, those of the new value are added, and the path itself is modified. */
function compareOther(before: Json | undefined, after: Json | undefined, schema: Schema | undefined): Comparison {
  return {
    added: new FieldSet(false, compare(undefined, after, schema).added.children),
    modified: HERE,
    removed: new FieldSet(false, compare(before, undefined, schema).removed.children),
  };
}

/** Two empty values also compare as leaves, which distinguishes null from empty. */
function isLeaf(before: Json | undefined, after: Json | undefined, schema: Schema | undefined): boolean {
  return structureOf(after ?? before, schema) === 'leaf' || (isEmpty(before) && isEmpty(after));
}

function compareLeaf(before: Json | undefined, after: Json | undefined): Comparison {
  if (before === undefined) return { ...NOTHING, added: HERE };
  if (after === undefined) return { ...NOTHING, removed: HERE };
  return equal(before, after) ? NOTHING : { ...NOTHING, modified: HERE };
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/**
 * The fields that an applied object sets.
 *
 * @throws KeylessItemError
 */
export function fieldSetOf(value: Json | undefined, schema: Schema | undefined, path = ''): FieldSet {
  if (structureOf(value, schema) === 'leaf') return new FieldSet(true, new Map());
  const children = new Map<string, FieldSet>();
  for (const [element, [child = null, ...others]] of childrenOf(value, schema, path)) {
    if (others.length > 0) {
      children.set(element, new FieldSet(true, new Map()));
      continue;
    }
    const inner = childSchema(schema, element);
    const set = fieldSetOf(child, inner, `${path}.${element.slice(2)}`);
    const owned =
      set.self ||
      !isNamedField(schema, element) ||
      child === null ||
      (isObject(child) && Object.keys(child).length === 0);
    const node = new FieldSet(owned, set.children);
    if (!node.isEmpty) children.set(element, node);
  }
  return new FieldSet(false, children);
}
