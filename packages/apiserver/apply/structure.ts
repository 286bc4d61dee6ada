import { isObject, type Json, type JsonObject } from '../json.ts';
import { propertyOf, type Schema } from '../schema/index.ts';
import { shown } from './field-set.ts';

/** A set or keyed list has an item without a valid key. */
export class KeylessItemError extends Error {
  override readonly name = 'KeylessItemError';
}

/** How server-side apply merges a value: as a whole, by fields, or by items with a key. */
export type Structure = 'leaf' | 'map' | 'set' | 'list-map';

/**
 * The structure of a value. Objects are maps and lists are leaves, unless the schema has `x-kubernetes-map-type` or
 * `x-kubernetes-list-type`.
 */
export function structureOf(value: Json | undefined, schema: Schema | undefined): Structure {
  if (Array.isArray(value)) {
    switch (schema?.['x-kubernetes-list-type']) {
      case 'set':
        return 'set';
      case 'map':
        return 'list-map';
      default:
        return 'leaf';
    }
  }
  return isObject(value) && schema?.['x-kubernetes-map-type'] !== 'atomic' ? 'map' : 'leaf';
}

/**
 * The children of a structured value with their path elements, in order.
 *
 * @throws KeylessItemError
 */
export function entriesOf(value: Json | undefined, schema: Schema | undefined, path: string): [string, Json][] {
  if (Array.isArray(value))
    return value.map((item, index) => [itemElement(item, schema, `${path}: element ${index}`), item]);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, child]): [string, Json][] =>
    child === undefined ? [] : [[`f:${key}`, child]],
  );
}

/**
 * The children by path element. Several items can have the same path element in a list that was not applied.
 *
 * @throws KeylessItemError
 */
export function childrenOf(value: Json | undefined, schema: Schema | undefined, path: string): Map<string, Json[]> {
  const children = new Map<string, Json[]>();
  for (const [element, child] of entriesOf(value, schema, path))
    children.set(element, [...(children.get(element) ?? []), child]);
  return children;
}

/** The schema of a child by its path element. */
export function childSchema(schema: Schema | undefined, element: string): Schema | undefined {
  return element.startsWith('f:') ? propertyOf(schema, element.slice(2)) : schema?.items;
}

/** Whether a path element is a property of the schema, not an item or a key of additionalProperties. */
export function isNamedField(schema: Schema | undefined, element: string): boolean {
  return element.startsWith('f:') && Object.hasOwn(schema?.properties ?? {}, element.slice(2));
}

/**
 * The path element of an item of a set or keyed list.
 *
 * @throws KeylessItemError
 */
function itemElement(item: Json, schema: Schema | undefined, where: string): string {
  if (schema?.['x-kubernetes-list-type'] === 'set') return memberElement(item, where);
  if (!isObject(item)) throw new KeylessItemError(`${where}: a list with keys may only have objects as elements`);
  const names = schema?.['x-kubernetes-list-map-keys'] ?? [];
  const keys: Record<string, Json> = {};
  for (const name of [...names].sort()) {
    const value = item[name] ?? schema?.items?.properties?.[name]?.default;
    if (value !== undefined) keys[name] = value;
  }
  if (Object.keys(keys).length === 0) {
    throw new KeylessItemError(`${where}: an element has none of the keys ${names.join(', ')}`);
  }
  return `k:${JSON.stringify(keys)}`;
}

function memberElement(item: Json, where: string): string {
  if (typeof item === 'object') throw new KeylessItemError(`${where}: a set may only have scalar elements`);
  return `v:${JSON.stringify(item)}`;
}

/** The type errors of an applied value, e.g. `.spec.a: expected string, got 1`. */
export function typeErrors(value: Json | undefined, schema: Schema | undefined, path = ''): string[] {
  // Without a schema, any value is valid.
  if (value === undefined || value === null || schema === undefined) return [];
  const problem = mismatch(value, schema);
  if (problem !== undefined) return [`${path}: ${problem}`];
  if (Array.isArray(value)) return listErrors(value, schema, path);
  return isObject(value) ? mapErrors(value, schema, path) : [];
}

function mismatch(value: Json, schema: Schema): string | undefined {
  const expected = expectedType(value, schema);
  return expected === undefined ? undefined : `expected ${expected}, got ${JSON.stringify(value)}`;
}

/** The expected type; undefined if the value has it. */
function expectedType(value: Json, schema: Schema): string | undefined {
  if (schema['x-kubernetes-int-or-string'] === true || schema.oneOf !== undefined || schema.format === 'int-or-string')
    return typeof value === 'object' ? 'a scalar' : undefined;
  switch (schema.type) {
    case 'object':
      return isObject(value) ? undefined : 'map';
    case 'array':
      return Array.isArray(value) ? undefined : 'list';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'boolean';
    case 'integer':
    case 'number':
      return typeof value === 'number' ? undefined : 'number';
    case 'string':
      return typeof value === 'string' ? undefined : 'string';
    default:
      return undefined;
  }
}

function mapErrors(value: JsonObject, schema: Schema, path: string): string[] {
  const errors: string[] = [];
  const isOpen = schema.properties === undefined || schema['x-kubernetes-preserve-unknown-fields'] === true;
  for (const key of Object.keys(value).sort()) {
    const property = propertyOf(schema, key);
    const here = `${path}.${key}`;
    // kube-apiserver stops at the first unknown field.
    if (property === undefined && !isOpen) return [...errors, `${here}: field not declared in schema`];
    errors.push(...typeErrors(value[key], property, here));
  }
  return errors;
}

function listErrors(value: Json[], schema: Schema, path: string): string[] {
  const errors: string[] = [];
  const isAssociative = ['set', 'map'].includes(schema['x-kubernetes-list-type'] ?? '');
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    let name = `[${index}]`;
    if (isAssociative) {
      try {
        const element = itemElement(item, schema, `element ${index}`);
        name = shown(element);
      } catch (error) {
        if (!(error instanceof KeylessItemError)) throw error;
        return [...errors, `${path}: ${error.message}`];
      }
      if (seen.has(name)) errors.push(`${path}: duplicate entries for key ${name}`);
      seen.add(name);
    }
    errors.push(...typeErrors(item, schema.items, `${path}${name}`));
  }
  return errors;
}
