import { clone, isObject, type Json, type JsonObject } from '../json.ts';
import { badRequest } from '../status.ts';
import { fieldPath, propertyOf, type Schema } from './schema.ts';

/**
 * Makes JSON an object of a published schema, in place: fields that the schema does not know, nulls and empty collections are removed, the
 * schema's defaults are filled in. Returns the paths of unknown fields. Throws 400 where a value has another type.
 */
export function decode(object: JsonObject, schema: Schema, path = ''): string[] {
  const unknown: string[] = [];
  for (const [key, property] of Object.entries(schema.properties ?? {})) if (isStruct(property)) object[key] ??= {};
  decodeFields(object, schema, path, unknown);
  return unknown;
}

/** The same for ObjectMeta, of which empty texts are removed, too: Go's clients send them. */
export function decodeMetadata(metadata: JsonObject, schema: Schema, path = ''): string[] {
  const unknown = decode(metadata, schema, path);
  for (const [key, value] of Object.entries(metadata)) if (value === '') Reflect.deleteProperty(metadata, key);
  return unknown;
}

/** An object with nothing set: of its fields those that are structs without a pointer (`spec: {}`). */
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
    throw mismatch(path, 'a time as RFC 3339 has it', value);
  if (format !== 'byte') return value;
  const text = value.replace(/[\r\n]/g, '');
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw mismatch(path, 'base64', value);
  return text;
}

/** Quantities and IntOrStrings have alternatives in place of a type. */
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

/** Optional lists and maps that are empty are left out, as Go does. */
function isEmptyCollection(value: Json, { properties, additionalProperties }: Schema): boolean {
  if (Array.isArray(value)) return value.length === 0;
  const isMap = properties === undefined && additionalProperties !== undefined;
  return isMap && isObject(value) && Object.keys(value).length === 0;
}

/** Go's zero values are published as defaults, too; those are not filled in. */
function hasDefault({ default: value }: Schema): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return false;
  return !isObject(value) || Object.keys(value).length > 0;
}

/** What Go reads a null in a list or a map as. */
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
