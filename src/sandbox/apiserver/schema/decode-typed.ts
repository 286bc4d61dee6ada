import { clone, isObject, type Json, type JsonObject } from '../json.ts';
import { badRequest, type StatusError } from '../status.ts';
import { fieldPath, propertyOf, type Schema } from './schema.ts';

/**
 * Makes JSON what a Go type would make of it, in place: unknown fields, nulls and empty optional collections go, embedded
 * structs and the schema's defaults come. Returns the unknown fields' paths.
 * Throws 400 where a value has another type than the schema's, in encoding/json's words.
 */
export function decodeTyped(
  object: JsonObject,
  schema: Schema,
  { kind, version }: { kind: string; version: string },
  struct = kind,
): string[] {
  const decoder = new Decoder(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}`, struct);
  decoder.object(object, schema, '', '');
  return decoder.unknown;
}

/** Fills in what even a Go value with nothing set has (`status: {}`, `containers: null`), in place, to any depth. */
export function fillZeroValue(object: JsonObject, schema: Schema): void {
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (object[key] === undefined && isEmptyObject(property.default)) object[key] = {};
    // A Go slice that may not be omitted is written as null.
    else if (property.type === 'array' && schema.required?.includes(key) === true) object[key] ??= null;
    const value = object[key];
    if (isObject(value) && property.properties !== undefined) fillZeroValue(value, property);
  }
}

class Decoder {
  readonly unknown: string[] = [];
  readonly #problem: string;
  readonly #struct: string;

  /** `problem`: the beginning of errors; `struct`: the Go type at the root. */
  constructor(problem: string, struct: string) {
    this.#problem = problem;
    this.#struct = struct;
  }

  /** `goPath`: as encoding/json counts, which leaves out indexes and the keys of maps. */
  object(object: JsonObject, schema: Schema, path: string, goPath: string): void {
    const open = schema.properties === undefined && schema.additionalProperties === undefined;
    for (const key of Object.keys(object)) {
      const property = propertyOf(schema, key);
      const here = fieldPath(path, key);
      if (property === undefined) {
        if (open) continue;
        this.unknown.push(here);
      } else if (object[key] !== null) {
        this.value(
          object[key],
          property,
          here,
          Object.hasOwn(schema.properties ?? {}, key) ? fieldPath(goPath, key) : goPath,
        );
      }
      if (property === undefined || isDropped(object[key], property, schema.required?.includes(key)))
        Reflect.deleteProperty(object, key);
    }
    this.#setDefaults(object, schema, path, goPath);
  }

  #setDefaults(object: JsonObject, schema: Schema, path: string, goPath: string): void {
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      if (object[key] !== undefined || !isDefault(property.default)) continue;
      const value = clone(property.default);
      if (isObject(value)) this.object(value, property, fieldPath(path, key), fieldPath(goPath, key));
      object[key] = value;
    }
  }

  value(value: Json | undefined, schema: Schema, path: string, goPath: string): void {
    if (!hasType(value, schema)) throw this.#mismatch(value, schema, goPath);
    if (Array.isArray(value)) {
      const items = schema.items ?? {};
      value.forEach((item, index) => {
        this.value(item, items, `${path}[${index}]`, goPath);
      });
    } else if (isObject(value)) {
      this.object(value, schema, path, goPath);
    } else if (schema.format === 'byte' && typeof value === 'string' && !isBase64(value)) {
      throw this.#fails(`illegal base64 data at input byte ${value.search(/[^A-Za-z0-9+/]/)}`);
    } else if (schema.format === 'date-time' && typeof value === 'string' && Number.isNaN(Date.parse(value))) {
      throw this.#fails(`parsing time "${value}" as "2006-01-02T15:04:05Z07:00": cannot parse "${value}" as "2006"`);
    }
  }

  #mismatch(value: Json | undefined, schema: Schema, goPath: string): StatusError {
    return this.#fails(
      `json: cannot unmarshal ${goWord(value)} into Go struct field ${this.#struct}.${goPath} of type ${goType(schema)}`,
    );
  }

  #fails(message: string): StatusError {
    return badRequest(`${this.#problem}: ${message}`);
  }
}

function isEmptyObject(value: Json | undefined): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

/** Go's zero values are published as defaults too; they are not written out. */
function isDefault(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== '' && value !== 0 && value !== false;
}

/** Go leaves out nil pointers, and empty slices and maps, where the field may be omitted. */
function isDropped(value: Json | undefined, schema: Schema, required: boolean | undefined): boolean {
  if (value === null) return true;
  if (required === true) return false;
  if (Array.isArray(value)) return schema.type === 'array' && value.length === 0;
  return isEmptyObject(value) && schema.additionalProperties !== undefined;
}

function hasType(value: Json | undefined, schema: Schema): boolean {
  // int-or-string and Quantity: `oneOf` in the document.
  if (schema.oneOf !== undefined || schema.format === 'int-or-string')
    return typeof value === 'string' || typeof value === 'number';
  switch (schema.type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'number':
      return typeof value === 'number';
    case 'integer':
      return Number.isInteger(value);
    default:
      return true;
  }
}

function goWord(value: Json | undefined): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function goType(schema: Schema): string {
  switch (schema.type) {
    case 'array':
      return `[]${goType(schema.items ?? {})}`;
    case 'object':
      return typeof schema.additionalProperties === 'object'
        ? `map[string]${goType(schema.additionalProperties)}`
        : 'struct';
    case 'integer':
      return schema.format ?? 'int64';
    case 'boolean':
      return 'bool';
    case 'number':
      return 'float64';
    default:
      return 'string';
  }
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}
