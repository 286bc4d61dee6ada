import { isObject, type Json, type JsonObject } from '../json.ts';
import { propertyOf, type Schema } from '../schema/index.ts';
import { shown } from './field-set.ts';
import { itemElement, KeylessItemError } from './structure.ts';

/** What keeps a value from being applied: `.spec.a: expected string, got 1`. */
export function typeErrors(value: Json | undefined, schema: Schema | undefined, path = ''): string[] {
  // Of what the schema says nothing, anything goes.
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

/** Undefined where the value has the right type. */
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
    // It looks no further after one that is not known.
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
