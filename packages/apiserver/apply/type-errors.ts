import { isObject, type Json, type JsonObject } from '../json.ts';
import { propertyOf, type Schema } from '../schema/index.ts';
import { shown } from './field-set.ts';
import { itemElement, KeylessItemError } from './structure.ts';

/** What keeps a value from being applied, in structured-merge-diff's words: `.spec.a: expected string, got …`. */
export function typeErrors(value: Json | undefined, schema: Schema | undefined, path = ''): string[] {
  // Of what the schema says nothing, anything goes.
  if (value === undefined || value === null || schema === undefined) return [];
  const problem = mismatch(value, schema);
  if (problem !== undefined) return [`${path}: ${problem}`];
  if (Array.isArray(value)) return listErrors(value, schema, path);
  return isObject(value) ? mapErrors(value, schema, path) : [];
}

function mismatch(value: Json, schema: Schema): string | undefined {
  const isScalar = typeof value !== 'object';
  if (schema['x-kubernetes-int-or-string'] === true || schema.oneOf !== undefined || schema.format === 'int-or-string')
    return isScalar ? undefined : `expected any scalar, got ${plain(value)}`;
  switch (schema.type) {
    case 'object':
      return isObject(value) ? undefined : `expected map, got ${plain(value)}`;
    case 'array':
      return Array.isArray(value) ? undefined : `expected list, got ${plain(value)}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${plain(value)}`;
    case 'integer':
    case 'number':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goType(value)}`;
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
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

/** As Go's `%v` shows a pointer to a struct with the value in it. */
function plain(value: Json | undefined): string {
  return `&{${formatted(value)}}`;
}

function formatted(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(formatted).join(' ')}]`;
  if (!isObject(value)) return value === null || value === undefined ? '<nil>' : String(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${formatted(value[key])}`).join(' ')}]`;
}

/** As Go's `%#v` shows it. */
function goSyntax(value: Json | undefined): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isObject(value)) return value === null || value === undefined ? 'interface {}(nil)' : JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `map[string]interface {}{${keys.map((key) => `${JSON.stringify(key)}:${goSyntax(value[key])}`).join(', ')}}`;
}

function goType(value: Json): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isObject(value)) return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
