import { clone, isObject, type Json, type JsonObject } from '../json.ts';
import { badRequest } from '../status.ts';
import { fieldPath, propertyOf, type Schema } from './schema.ts';

/**
 * Decodes JSON by the published schema of a built-in kind, in place: removes unknown fields, nulls and empty optional
 * collections, and sets defaults. Returns the paths of unknown fields. Throws 400 if a value has a wrong type.
 */
export function decode(object: JsonObject, schema: Schema, path = ''): string[] {
  const unknown: string[] = [];
  for (const [key, property] of Object.entries(schema.properties ?? {})) if (isStruct(property)) object[key] ??= {};
  decodeFields(object, schema, path, unknown);
  return unknown;
}

/** Decodes ObjectMeta. Also removes empty strings, which Go clients send. */
export function decodeMetadata(metadata: JsonObject, schema: Schema, path = ''): string[] {
  const unknown = decode(metadata, schema, path);
  for (const [key, value] of Object.entries(metadata)) if (value === '') Reflect.deleteProperty(metadata, key);
  return unknown;
}

/** The zero value of a Go struct: it has the non-pointer struct fields (`spec: {}`). */
export function zeroValue(schema: Schema): JsonObject {
  const structs = Object.entries(schema.properties ?? {}).filter(([, property]) => isStruct(property));
  return Object.fromEntries(structs.map(([key, property]) => [key, zeroValue(property)]));
}

function decodeFields(object: JsonObject, schema: Schema, path: string, unknown: string[]): void {
  const isOpen = schema.properties === undefined && schema.additionalProperties === undefined;
  if (isOpen) return;
  for (const [key, value] of Object.entries(object)) {
    const property = propertyOf(schema, key);
    const here = fieldPath(path, key);
    if (property === undefined) unknown.push(here);
    const isNamed = schema.properties !== undefined;
    if (property === undefined || value === undefined || (value === null && isNamed)) {
      Reflect.deleteProperty(object, key);
    } else {
      const decoded = decodeValue(value ?? zeroOf(property), property, here, unknown);
      if (isNamed && isEmptyCollection(decoded, property) && schema.required?.includes(key) !== true)
        Reflect.deleteProperty(object, key);
      else object[key] = decoded;
    }
  }
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (object[key] === undefined && hasDefault(property)) object[key] = clone(property.default);
  }
}

function decodeValue(value: Json, schema: Schema, path: string, unknown: string[]): Json {
  switch (schema.type) {
    case 'object':
      if (!isObject(value)) throw mismatch(path, 'an object', value);
      decodeFields(value, schema, path, unknown);
      return value;
    case 'array':
      if (!Array.isArray(value)) throw mismatch(path, 'a list', value);
      return value.map((item, index) => {
        const items = schema.items ?? {};
        return decodeValue(item ?? zeroOf(items), items, `${path}[${index}]`, unknown);
      });
    case 'string':
      return decodeText(value, schema, path);
    case 'boolean':
      if (typeof value !== 'boolean') throw mismatch(path, 'a boolean', value);
      return value;
    case 'integer':
      if (!Number.isSafeInteger(value)) throw mismatch(path, 'an integer', value);
      return value;
    case 'number':
      if (typeof value !== 'number') throw mismatch(path, 'a number', value);
      return value;
    default:
      return decodeUntyped(value, schema, path);
  }
}

function decodeText(value: Json, { format }: Schema, path: string): string {
  if (typeof value !== 'string') throw mismatch(path, 'a string', value);
  if (format === 'date-time' && !(/^\d{4}-\d\d-\d\dT/.test(value) && Number.isFinite(Date.parse(value))))
    throw mismatch(path, 'an RFC 3339 time', value);
  if (format !== 'byte') return value;
  const text = value.replace(/[\r\n]/g, '');
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw mismatch(path, 'base64', value);
  return text;
}

/** Quantities and IntOrStrings have `oneOf` instead of a type. */
function decodeUntyped(value: Json, { oneOf = [] }: Schema, path: string): Json {
  const types = oneOf.map(({ type }) => type);
  if (types.length === 0) return value;
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') throw mismatch(path, 'a string or a number', value);
  return types.includes('integer') ? value : String(value);
}

function isStruct({ type, properties, default: value }: Schema): boolean {
  return type === 'object' && properties !== undefined && isObject(value) && Object.keys(value).length === 0;
}

/** Go omits empty optional lists and maps. */
function isEmptyCollection(value: Json, { properties, additionalProperties }: Schema): boolean {
  if (Array.isArray(value)) return value.length === 0;
  const isMap = properties === undefined && additionalProperties !== undefined;
  return isMap && isObject(value) && Object.keys(value).length === 0;
}

/** Published schemas also have Go's zero values as defaults; these are not set. */
function hasDefault({ default: value }: Schema): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return false;
  return !isObject(value) || Object.keys(value).length > 0;
}

/** Go's zero value, which it decodes a null in a list or a map to. */
function zeroOf({ type }: Schema): Json {
  switch (type) {
    case 'string':
      return '';
    case 'object':
      return {};
    case 'boolean':
      return false;
    default:
      return type === 'integer' || type === 'number' ? 0 : null;
  }
}

function mismatch(path: string, expected: string, value: Json): Error {
  return badRequest(`${path}: must be ${expected}, not ${JSON.stringify(value)}`);
}
