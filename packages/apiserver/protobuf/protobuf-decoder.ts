import type { Json, JsonObject } from '../json.ts';
import { badRequest } from '../status.ts';
import { WireReader } from './wire-reader.ts';

const MAGIC = Buffer.from('k8s\0', 'latin1');
const META = 'k8s.io.apimachinery.pkg.apis.meta.v1';
const MAX_DEPTH = 64;

/** Messages whose JSON form is not an object with their fields. */
const SPECIAL: Readonly<Record<string, (fields: JsonObject) => Json>> = {
  [`${META}.Time`]: time,
  [`${META}.MicroTime`]: (fields) => time(fields, 6),
  'k8s.io.apimachinery.pkg.util.intstr.IntOrString': ({ type, intVal, strVal }) =>
    type === 1 ? (strVal ?? '') : (intVal ?? 0),
  'k8s.io.apimachinery.pkg.api.resource.Quantity': (fields) => fields['string'] ?? '0',
  [`${META}.Duration`]: ({ duration }) => `${Number(duration ?? 0) / 1e9}s`,
  [`${META}.FieldsV1`]: (fields) => embedded(fields['Raw']),
  'k8s.io.apimachinery.pkg.runtime.RawExtension': (fields) => embedded(fields['raw']),
};

/**
 * Decodes `application/vnd.kubernetes.protobuf` request bodies to JSON. kubectl sends them for built-in kinds
 * (`kubectl create secret`). Responses are always JSON, which these clients accept.
 */
export class ProtobufDecoder {
  readonly #messages: Messages;

  private constructor(messages: Messages) {
    this.#messages = messages;
  }

  static async load(): Promise<ProtobufDecoder> {
    const module = await import('./messages.json', { with: { type: 'json' } });
    // generate.ts writes the file in this form.
    return new ProtobufDecoder(module.default as unknown as Messages);
  }

  /** Throws 400 if the body is not a valid message, or its kind is unknown. */
  decode(body: Buffer): JsonObject {
    if (!body.subarray(0, MAGIC.length).equals(MAGIC))
      throw badRequest('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
    try {
      const { apiVersion, kind, raw } = envelope(new WireReader(body.subarray(MAGIC.length)));
      const message =
        kind === 'DeleteOptions' ? `${META}.DeleteOptions` : this.#messages.kinds[`${apiVersion}/${kind}`];
      if (message === undefined)
        throw badRequest(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
      return { apiVersion, kind, ...this.#message(raw, message, 0) };
    } catch (error) {
      if (error instanceof RangeError || error instanceof SyntaxError)
        throw badRequest(`unable to decode protobuf: ${error.message}`);
      throw error;
    }
  }

  #message(bytes: Buffer, name: string, depth: number): JsonObject {
    if (depth > MAX_DEPTH) throw new RangeError('messages are nested too deeply');
    const fields = this.#messages.messages[name] ?? {};
    const reader = new WireReader(bytes);
    const result: JsonObject = {};
    while (!reader.isAtEnd) {
      const { field: number, wireType } = reader.tag();
      const field = fields[number];
      if (field === undefined) reader.skip(wireType);
      else this.#field(reader, field, result, depth);
    }
    return result;
  }

  #field(reader: WireReader, field: Field, result: JsonObject, depth: number): void {
    const { name } = field;
    if (field.map === true) {
      const map = (result[name] ??= {}) as JsonObject; // only set here
      const [key, value] = this.#entry(new WireReader(reader.bytes()), field, depth);
      if (key !== '__proto__') map[key] = value;
    } else if (field.repeated === true) {
      const list = (result[name] ??= []) as Json[]; // only set here
      list.push(this.#value(reader, field.type, depth));
    } else if (field.inline === true) {
      Object.assign(result, this.#value(reader, field.type, depth));
    } else {
      const value = this.#value(reader, field.type, depth);
      // Go writes zero values of non-pointer fields to protobuf, and omits them in JSON.
      const isZero = value === '' || value === 0 || value === false || value === null;
      if (!isZero || field.pointer === true) result[name] = value;
    }
  }

  #entry(reader: WireReader, field: Field, depth: number): [string, Json] {
    let key = '';
    let value: Json = '';
    while (!reader.isAtEnd) {
      const { field: number, wireType } = reader.tag();
      if (number === 1) key = reader.bytes().toString('utf8');
      else if (number === 2) value = this.#value(reader, field.type, depth);
      else reader.skip(wireType);
    }
    return [key, value];
  }

  #value(reader: WireReader, type: string, depth: number): Json {
    switch (type) {
      case 'string':
        return reader.bytes().toString('utf8');
      case 'bytes':
        return reader.bytes().toString('base64');
      case 'bool':
        return reader.varint() !== 0n;
      case 'int32':
      case 'int64':
      case 'uint32':
      case 'uint64':
        return Number(reader.varint());
      case 'double':
        return reader.double();
      case 'float':
        return reader.float();
      default: {
        const fields = this.#message(reader.bytes(), type, depth + 1);
        const special = SPECIAL[type];
        return special === undefined ? fields : special(fields);
      }
    }
  }
}

/** Decodes the envelope (runtime.Unknown): the type of the object, and its encoded bytes. */
function envelope(reader: WireReader): { apiVersion: string; kind: string; raw: Buffer } {
  const parts = new Map<number, Buffer>();
  while (!reader.isAtEnd) {
    const { field, wireType } = reader.tag();
    if (wireType === 2) parts.set(field, reader.bytes());
    else reader.skip(wireType);
  }
  const type = new Map<number, string>();
  const typeReader = new WireReader(parts.get(1) ?? Buffer.alloc(0));
  while (!typeReader.isAtEnd) type.set(typeReader.tag().field, typeReader.bytes().toString('utf8'));
  return { apiVersion: type.get(1) ?? '', kind: type.get(2) ?? '', raw: parts.get(2) ?? Buffer.alloc(0) };
}

function time({ seconds, nanos }: JsonObject, digits = 0): Json {
  // Go's zero time, year 1, has negative seconds; its JSON is null.
  if (typeof seconds !== 'number' || seconds < 0) return null;
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  return digits === 0
    ? `${text}Z`
    : `${text}.${String(Number(nanos ?? 0))
        .padStart(9, '0')
        .slice(0, digits)}Z`;
}

function embedded(base64: Json | undefined): Json {
  return typeof base64 === 'string' ? (JSON.parse(Buffer.from(base64, 'base64').toString('utf8')) as Json) : {};
}

/** A field of a protobuf message. */
export interface Field {
  /** Its name in JSON. */
  name: string;
  /** A scalar type of protobuf, or the name of a message. For a map: the type of its values. */
  type: string;
  repeated?: true;
  /** The keys are strings. */
  map?: true;
  /** In JSON, its fields are fields of the parent. */
  inline?: true;
  /** A pointer in Go: JSON keeps a zero value. */
  pointer?: true;
}

/** The format of messages.json. */
export interface Messages {
  /** Message names by `apiVersion/kind`. */
  kinds: Record<string, string>;
  /** By message name and field number. */
  messages: Record<string, Record<string, Field>>;
}
