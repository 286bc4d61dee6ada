import { isObject, type Json, type JsonObject } from '../json.ts';
import {
  canonicalBytes,
  canonicalMicroTime,
  canonicalQuantity,
  canonicalTime,
  type ParsedJson,
} from '../golang/index.ts';
import { badRequest, type StatusError } from '../status.ts';
import type { GoField, GoType } from './go-types/go-types.ts';
import { fieldPath, propertyOf, type Schema } from './schema.ts';

type Repeated = ParsedJson['repeated'];
const NONE: Repeated = new Map();

/**
 * Makes JSON what a Go type makes of it, in place: unknown fields go, and of zero values those that Go leaves out; the
 * schema's defaults come, and the zero values that Go writes. `repeated`: the keys that came more than once. Returns what
 * strict decoding complains of, in its words. Throws 400 where a value has another type than the schema's, in
 * encoding/json's words.
 */
export function decodeTyped(object: JsonObject, schema: Schema, struct: string, repeated: Repeated = NONE): string[] {
  const decoder = new Decoder(struct, { repeated });
  decoder.into(object, schema);
  return [...decoder.complaints];
}

/** The same for what apimachinery's converter makes of a map, as strategic merge patches do: it has words of its own. */
export function convertTyped(object: JsonObject, schema: Schema, struct: string): string[] {
  const decoder = new Decoder(struct, { isConverted: true });
  decoder.into(object, schema);
  return [...decoder.complaints].sort();
}

/** The same for a part of an object; returns the paths of unknown fields. */
export function decodeStruct(object: JsonObject, schema: Schema, struct: string): string[] {
  const decoder = new Decoder(struct, {});
  decoder.into(object, schema);
  return decoder.unknown;
}

/** What Go writes of a value with nothing set (`status: {}`, `containers: null`). */
export function zeroValue(schema: Schema): JsonObject {
  return new Decoder('', { withDefaults: false }).struct({}, schema, { path: '', goPath: '' });
}

interface Place {
  /** With the indexes of lists and the keys of maps. */
  readonly path: string;
  /** As encoding/json counts, which leaves them out. */
  readonly goPath: string;
  /** The struct that the value is in. */
  readonly struct?: string;
}

interface DecoderOptions {
  repeated?: Repeated;
  withDefaults?: boolean;
  isConverted?: boolean;
}

class Decoder {
  readonly unknown: string[] = [];
  readonly complaints = new Set<string>();
  readonly #root: string;
  readonly #repeated: Repeated;
  readonly #withDefaults: boolean;
  readonly #isConverted: boolean;

  /** `root`: the Go type at the root. */
  constructor(root: string, { repeated = NONE, withDefaults = true, isConverted = false }: DecoderOptions) {
    this.#root = root;
    this.#repeated = repeated;
    this.#withDefaults = withDefaults;
    this.#isConverted = isConverted;
  }

  into(object: JsonObject, schema: Schema): void {
    const decoded = this.struct(object, schema, { path: '', goPath: '' });
    for (const key of Object.keys(object)) Reflect.deleteProperty(object, key);
    Object.assign(object, decoded);
  }

  /** `before`: what a key that came earlier has set; Go decodes into it. */
  struct(object: JsonObject, schema: Schema, place: Place, before: JsonObject = {}): JsonObject {
    const fields: JsonObject = { ...before };
    const seen = new Set<string>();
    for (const [key, value] of this.#entries(object)) {
      const property = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : undefined;
      const path = fieldPath(place.path, key);
      if (property?.go === undefined) {
        this.#complain('unknown', path);
        continue;
      }
      if (seen.has(key)) this.#complain('duplicate', path);
      seen.add(key);
      const here = { path, goPath: fieldPath(place.goPath, key), struct: property.go.struct };
      if (value !== null) fields[key] = this.value(value, property.go, property, here, fields[key]);
      else if (isNullable(property.go)) Reflect.deleteProperty(fields, key);
    }
    return this.#written(fields, schema, place);
  }

  /** The fields as Go writes them. */
  #written(fields: JsonObject, schema: Schema, place: Place): JsonObject {
    const result: JsonObject = {};
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      const { go } = property;
      if (go === undefined) continue;
      if (this.#withDefaults && isDefault(property.default) && (fields[key] === undefined || isZero(fields[key], go)))
        fields[key] = structuredClone(property.default);
      const written = this.#field(fields[key], go, property, fieldPath(place.path, key));
      if (written !== undefined) result[key] = written;
    }
    return result;
  }

  #field(value: Json | undefined, go: GoField, schema: Schema, path: string): Json | undefined {
    if (go.isPointer) return value ?? (go.omitEmpty ? undefined : null);
    const actual = value ?? this.#zero(go, schema, { path, goPath: '' });
    if (!isZero(actual, go)) return actual;
    if (go.omitZero) return undefined;
    return go.omitEmpty && !NEVER_EMPTY.has(go.kind) ? undefined : actual;
  }

  value(value: Json, go: GoType, schema: Schema, place: Place, before?: Json): Json {
    switch (go.kind) {
      case 'raw':
        return value;
      case 'struct':
        if (!isObject(value)) throw this.#mismatch(value, go, place);
        return this.struct(value, schema, place, isObject(before) ? before : {});
      case 'map':
        if (!isObject(value)) throw this.#mismatch(value, go, place);
        return this.#map(value, go, schema, place, isObject(before) ? before : {});
      case 'slice':
        if (!Array.isArray(value)) throw this.#mismatch(value, go, place);
        return value.map((item, index) =>
          this.#element(item, go, schema.items ?? {}, { ...place, path: `${place.path}[${index}]` }),
        );
      default:
        return this.#scalar(value, go, place);
    }
  }

  #map(object: JsonObject, go: GoType, schema: Schema, place: Place, before: JsonObject): JsonObject {
    const map: JsonObject = { ...before };
    const seen = new Set<string>();
    for (const [key, value] of this.#entries(object)) {
      const path = fieldPath(place.path, key);
      if (seen.has(key)) this.#complain('duplicate', path);
      seen.add(key);
      map[key] = this.#element(value, go, propertyOf(schema, key) ?? {}, { ...place, path });
    }
    // In the order in which Go writes it.
    return Object.fromEntries(Object.entries(map).sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  #element(value: Json, go: GoType, schema: Schema, place: Place): Json {
    const element = go.element ?? { text: '', kind: 'raw' };
    return value === null ? this.#zero(element, schema, place) : this.value(value, element, schema, place);
  }

  #scalar(value: Json, go: GoType, place: Place): Json {
    switch (go.kind) {
      case 'bool':
        if (typeof value !== 'boolean') throw this.#mismatch(value, go, place);
        return value;
      case 'int32':
      case 'int64':
        return this.#integer(value, go, place);
      case 'float64':
        if (typeof value !== 'number') throw this.#mismatch(value, go, place);
        return value;
      case 'intOrString':
        return typeof value === 'string' ? value : this.#integer(value, { text: 'int32', kind: 'int32' }, place);
      case 'quantity':
        return canonical(canonicalQuantity, (typeof value === 'string' ? value : JSON.stringify(value)).trim());
      case 'bytes':
        if (typeof value !== 'string') throw this.#mismatch(value, go, place);
        return canonical(canonicalBytes, value, this.#isConverted ? 'error decoding from json: ' : '');
      default:
        if (typeof value !== 'string')
          throw this.#mismatch(value, go.kind === 'string' ? go : { text: 'string', kind: 'string' }, place);
        if (go.kind === 'time') return canonical(canonicalTime, value);
        return go.kind === 'microTime' ? canonical(canonicalMicroTime, value) : value;
    }
  }

  #integer(value: Json, go: GoType, place: Place): number {
    const limit = go.kind === 'int32' ? 2 ** 31 : 2 ** 63;
    if (typeof value !== 'number') throw this.#mismatch(value, go, place);
    if (Number.isInteger(value) && value >= -limit && value < limit) return value;
    throw this.#mismatch(value, go, place, `number ${value}`);
  }

  #zero(go: GoType, schema: Schema, place: Place): Json {
    switch (go.kind) {
      case 'struct':
        return this.struct({}, schema, place);
      case 'bool':
        return false;
      case 'int32':
      case 'int64':
      case 'float64':
      case 'intOrString':
        return 0;
      case 'quantity':
        return '0';
      case 'string':
      case 'bytes':
        return '';
      default:
        return null;
    }
  }

  #entries(object: JsonObject): readonly (readonly [string, Json])[] {
    return (
      this.#repeated.get(object) ??
      Object.entries(object).filter((entry): entry is [string, Json] => entry[1] !== undefined)
    );
  }

  #complain(what: 'unknown' | 'duplicate', path: string): void {
    this.complaints.add(`${what} field ${JSON.stringify(path)}`);
    if (what === 'unknown' && !this.unknown.includes(path)) this.unknown.push(path);
  }

  #mismatch(value: Json, go: GoType, { goPath, struct = this.#root }: Place, word = goWord(value)): StatusError {
    if (this.#isConverted) return badRequest(notConvertible(value, go));
    return badRequest(`json: cannot unmarshal ${word} into Go struct field ${struct}.${goPath} of type ${go.text}`);
  }
}

function canonical(write: (text: string) => string, text: string, prefix = ''): string {
  try {
    return write(text);
  } catch (error) {
    throw badRequest(`${prefix}${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What apimachinery's converter says of a value that is of another type. */
function notConvertible(value: Json, { kind, text }: GoType): string {
  const from = Array.isArray(value)
    ? 'slice'
    : isObject(value)
      ? 'map'
      : typeof value === 'number'
        ? Number.isInteger(value)
          ? 'int64'
          : 'float64'
        : goWord(value);
  const isNumber = from === 'int64' || from === 'float64';
  switch (kind) {
    case 'slice':
    case 'bytes':
      return `cannot restore slice from ${from}`;
    case 'map':
      return `cannot restore map from ${from}`;
    case 'struct':
      return `cannot restore struct from: ${from}`;
    case 'string':
      return from === 'int64' ? `cannot convert int64 to ${text}` : 'unrecognized type: string';
    default:
      return isNumber && kind !== 'bool' ? `cannot convert ${from} to ${text}` : `unrecognized type: ${kind}`;
  }
}

/** In Go structs, which omitempty does not leave out. */
const NEVER_EMPTY: ReadonlySet<GoType['kind']> = new Set(['struct', 'time', 'microTime', 'quantity', 'intOrString']);

/** Go sets these to nil where JSON says null; others keep what they have. */
function isNullable({ isPointer, kind }: GoField): boolean {
  return isPointer || kind === 'slice' || kind === 'map' || kind === 'bytes' || kind === 'time' || kind === 'microTime';
}

function isZero(value: Json | undefined, { kind, isPointer }: GoField): boolean {
  if (isPointer) return value === undefined;
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.keys(value).length === 0;
  return value === null || value === '' || value === 0 || value === false || (kind === 'quantity' && value === '0');
}

/** Go's zero values are published as defaults too. */
function isDefault(value: Json | undefined): value is Json {
  if (value === undefined || value === null) return false;
  return value !== '' && value !== 0 && value !== false && !(isObject(value) && Object.keys(value).length === 0);
}

function goWord(value: Json): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
