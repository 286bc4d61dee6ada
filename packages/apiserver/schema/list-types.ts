import { canonicalJson, isObject, type Json, type JsonObject } from '../json.ts';
import type { FieldError } from '../status.ts';
import { fieldErrors } from './field-errors.ts';
import { fieldPath, propertyOf, type Schema } from './schema.ts';

/** The errors of duplicate items in lists of the types set and map. */
export function duplicateItems(value: Json | undefined, schema: Schema, path = ''): FieldError[] {
  const errors: FieldError[] = [];
  visit(value, schema, path, errors);
  return errors;
}

function visit(value: Json | undefined, schema: Schema, path: string, errors: FieldError[]): void {
  if (Array.isArray(value)) {
    const type = schema['x-kubernetes-list-type'];
    if (type === 'set') errors.push(...repeated(value, path));
    else if (type === 'map') errors.push(...repeatedKeys(value, schema['x-kubernetes-list-map-keys'] ?? [], path));
    const { items } = schema;
    if (items === undefined || isScalar(items)) return;
    value.forEach((item, index) => {
      visit(item, items, `${path}[${index}]`, errors);
    });
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const property = propertyOf(schema, key);
      if (property === undefined || isScalar(property)) continue;
      const isNamed = Object.hasOwn(schema.properties ?? {}, key);
      visit(value[key], property, isNamed ? fieldPath(path, key) : `${path}[${key}]`, errors);
    }
  }
}

function isScalar({ type }: Schema): boolean {
  return type === 'string' || type === 'boolean' || type === 'integer' || type === 'number';
}

/** One error per duplicate value, at its second item. */
function repeated(items: Json[], path: string): FieldError[] {
  const seen = new Map<string, number>();
  const errors: FieldError[] = [];
  items.forEach((item, index) => {
    const identity = canonicalJson(item);
    const times = (seen.get(identity) ?? 0) + 1;
    seen.set(identity, times);
    if (times === 2) errors.push(fieldErrors.duplicate(`${path}[${index}]`, item));
  });
  return errors;
}

function repeatedKeys(items: Json[], keys: string[], path: string): FieldError[] {
  const stray = items.findIndex((item) => item !== null && !isObject(item));
  if (stray !== -1) {
    const detail = 'must be an object for an array of list-type map';
    return [fieldErrors.invalid(`${path}[${stray}]`, items[stray], detail)];
  }
  return repeated(
    items.map((item) => keysOf(item, keys)),
    path,
  );
}

function keysOf(item: Json, keys: string[]): JsonObject {
  if (!isObject(item)) return {};
  return Object.fromEntries(keys.filter((key) => item[key] !== undefined).map((key) => [key, item[key]]));
}
