import { equal, isObject, type Json, type JsonObject } from '../../json.ts';
import { parseFormatDuration } from '../go-duration.ts';
import type { Schema } from '../schema.ts';
import { escapeField, unescapeField, withTypeAndNames } from './declared-type.ts';
import { parseTimestamp } from './time.ts';
import {
  CelError,
  DurationValue,
  isEqual,
  ListValue,
  MapValue,
  noSuchOverload,
  OpaqueValue,
  TimestampValue,
  type CelValue,
} from './values.ts';

/** JSON as rules see it by its schema; parts are converted when they are asked for. */
export function toCel(value: Json | undefined, schema: Schema): CelValue {
  if (value === null || value === undefined) {
    if (schema.nullable === true) return null;
    throw new CelError('invalid data, got null for schema with nullable=false');
  }
  const converted = schema['x-kubernetes-int-or-string'] === true ? intOrString(value) : typed(value, schema);
  if (converted === undefined) throw new CelError(`invalid data, expected ${expectedOf(schema)}`);
  return converted;
}

function intOrString(value: Json): CelValue | undefined {
  return typeof value === 'string' ? value : integer(value);
}

function integer(value: Json): bigint | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : undefined;
}

/** Undefined where the value has another type. */
function typed(value: Json, schema: Schema): CelValue | undefined {
  switch (schema.type) {
    case 'object':
      return isObject(value) ? new SchemaMap(value, schema) : undefined;
    case 'array':
      return Array.isArray(value) ? new SchemaList(value, schema) : undefined;
    case 'string':
      return typeof value === 'string' ? fromString(value, schema.format) : undefined;
    case 'number':
      return typeof value === 'number' ? value : undefined;
    case 'integer':
      return integer(value);
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    default:
      return new PreservedValue(value);
  }
}

/** Nobody sees it: where a value has another type than its schema says, rules are not evaluated. */
function expectedOf(schema: Schema): string {
  return schema['x-kubernetes-int-or-string'] === true ? 'XIntOrString value' : (schema.type ?? 'any');
}

function fromString(text: string, format: string | undefined): CelValue {
  switch (format) {
    case 'duration': {
      const nanoseconds = parseFormatDuration(text);
      if (nanoseconds !== undefined) return new DurationValue(nanoseconds);
      throw new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
    }
    case 'date':
    case 'date-time': {
      const nanoseconds = parseTimestamp(format === 'date' ? `${text}T00:00:00Z` : text);
      if (nanoseconds !== undefined) return new TimestampValue(nanoseconds);
      throw new CelError(`Invalid ${format} formatted string ${text}`);
    }
    case 'byte':
      return Buffer.from(text, 'base64url');
    default:
      return text;
  }
}

/** What is kept without a schema: it can be compared and nothing else. */
class PreservedValue extends OpaqueValue {
  readonly typeName = 'unknown';
  readonly #value: Json;

  constructor(value: Json) {
    super();
    this.#value = value;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof PreservedValue && equal(this.#value, other.#value);
  }
}

class SchemaList extends ListValue {
  readonly #items: readonly Json[];
  readonly #schema: Schema;

  constructor(items: readonly Json[], schema: Schema) {
    super();
    this.#items = items;
    this.#schema = schema;
  }

  get size(): number {
    return this.#items.length;
  }

  at(index: number): CelValue {
    return toCel(this.#items[index], this.#schema.items ?? {});
  }

  /** Sets and lists of type map have no order. */
  override equals(other: ListValue): boolean {
    const type = this.#schema['x-kubernetes-list-type'];
    if (type !== 'set' && type !== 'map') return super.equals(other);
    if (this.size !== other.size) return false;
    for (const item of other) if (!this.#hasEqual(item)) return false;
    return true;
  }

  #hasEqual(item: CelValue): boolean {
    for (const own of this) if (isEqual(own, item)) return true;
    return false;
  }

  /** A union for sets; lists of type map take the other's item for the keys that both have. */
  override concat(other: ListValue): ListValue {
    const added = other instanceof SchemaList ? other.#items : scalars(other);
    if (added === undefined) return super.concat(other);
    const { 'x-kubernetes-list-type': type, 'x-kubernetes-list-map-keys': keys = [] } = this.#schema;
    if (type !== 'set' && type !== 'map') return new SchemaList([...this.#items, ...added], this.#schema);
    const identity = (item: Json): Json =>
      type === 'set' || !isObject(item) ? item : keys.map((key) => item[key] ?? null);
    const items = [...this.#items];
    for (const item of added) {
      const index = items.findIndex((own) => equal(identity(own), identity(item)));
      if (index === -1) items.push(item);
      else if (type === 'map') items[index] = item;
    }
    return new SchemaList(items, this.#schema);
  }
}

/** A list that was written in the expression as JSON; undefined where it holds more than texts, numbers and booleans. */
function scalars(list: ListValue): Json[] | undefined {
  const items = [...list].map((item) => (typeof item === 'bigint' ? Number(item) : item));
  return items.every((item) => ['string', 'number', 'boolean'].includes(typeof item)) ? (items as Json[]) : undefined;
}

class SchemaMap extends MapValue {
  readonly #value: JsonObject;
  readonly #schema: Schema;

  constructor(value: JsonObject, schema: Schema) {
    super();
    this.#value = value;
    this.#schema = schema['x-kubernetes-embedded-resource'] === true ? withTypeAndNames(schema) : schema;
  }

  get size(): number {
    return Object.keys(this.#value).length;
  }

  find(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') throw noSuchOverload();
    const { properties } = this.#schema;
    const name = properties === undefined ? key : unescapeField(key);
    if (name === undefined || !Object.hasOwn(this.#value, name)) return undefined;
    const value = this.#value[name];
    // A field that is null counts as absent.
    if (value === undefined || (properties !== undefined && value === null)) return undefined;
    const schema = this.#schemaOf(name);
    return schema === undefined ? undefined : toCel(value, schema);
  }

  keys(): CelValue[] {
    const isObjectType = this.#schema.properties !== undefined;
    return Object.keys(this.#value)
      .filter((key) => this.#schemaOf(key) !== undefined)
      .map((key) => (isObjectType ? (escapeField(key) ?? key) : key));
  }

  override equals(other: MapValue): boolean {
    if (!(other instanceof SchemaMap)) return super.equals(other);
    if (this.size !== other.size) return false;
    return Object.keys(this.#value).every((key) => {
      const [mine, theirs] = [this.#value[key], other.#value[key]];
      const schema = this.#schemaOf(key);
      if (theirs === undefined) return schema === undefined;
      if (schema === undefined || mine === null || theirs === null) return equal(mine, theirs);
      return isEqual(toCel(mine, schema), toCel(theirs, schema));
    });
  }

  #schemaOf(key: string): Schema | undefined {
    const { properties, additionalProperties } = this.#schema;
    if (properties !== undefined) return Object.hasOwn(properties, key) ? properties[key] : undefined;
    return typeof additionalProperties === 'object' ? additionalProperties : undefined;
  }
}
