import { z } from 'zod';

/** The schema of a field in a CustomResourceDefinition: the OpenAPI v3 subset of the API server, with its extensions. */
export interface StructuralSchema {
  description?: string;
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  format?: string;
  default?: unknown;
  enum?: unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  items?: StructuralSchema;
  required?: string[];
  properties?: Record<string, StructuralSchema>;
  additionalProperties?: StructuralSchema;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-validations'?: { rule: string; message: string }[];
}

/** A zod schema cannot be expressed in a CustomResourceDefinition; the message begins with the field's path. */
export class StructuralSchemaError extends Error {
  override readonly name = 'StructuralSchemaError';
  readonly code = 'NotStructural';
}

/** Copied unchanged, in this order. */
const KEYWORDS = [
  'description',
  'type',
  'format',
  'default',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'required',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
] as const;

/** Handled separately below. */
const TREATED = ['items', 'properties', 'additionalProperties', 'anyOf', 'propertyNames', 'patternMessage'];

/** Formats that the API server checks itself; zod's patterns for them would add hundreds of bytes a field. */
const SERVER_FORMATS = ['ipv4', 'date-time'];

const INT32 = 2 ** 31;

type Json = Record<string, unknown>;

/**
 * Turns a zod schema into a structural schema (Kubernetes' "Specifying a structural schema"): every field has a type, there is no
 * `anyOf`, integers have formats, and formats replace patterns. Also requires a description for every property, and a limit for every
 * string, list and map, without which the API server's estimate of a rule's cost fails.
 *
 * @throws StructuralSchemaError
 */
export function structuralSchema(schema: z.ZodType): StructuralSchema {
  return normalise(z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input' }), '');
}

function normalise(schema: Json, path: string): StructuralSchema {
  const source = withoutAlternatives(schema, path);
  const unknown = Object.keys(source).find((key) => !isKnown(key));
  if (unknown !== undefined) throw new StructuralSchemaError(`${at(path)}: ${unknown} is not allowed in a CRD`);
  // Each keyword is one that zod writes with the type that OpenAPI gives it.
  const result = Object.fromEntries(
    KEYWORDS.flatMap((key) => (key in source ? [[key, source[key]]] : [])),
  ) as StructuralSchema;
  if (result['x-kubernetes-int-or-string'] === true) return result;
  if (result.type === 'integer') setIntegerFormat(result);
  if (result.format !== undefined) setFormat(result);
  if (typeof source['patternMessage'] === 'string') setPatternRule(result, source['patternMessage']);
  addChildren(result, source, path);
  check(result, path);
  return result;
}

function isKnown(key: string): boolean {
  return TREATED.includes(key) || KEYWORDS.some((known) => known === key);
}

/** Replaces `anyOf`; possible for int-or-string and for literals. */
function withoutAlternatives(schema: Json, path: string): Json {
  const { anyOf, ...rest } = schema;
  if (anyOf === undefined || rest['x-kubernetes-int-or-string'] === true) return rest;
  const values: unknown[] = [];
  for (const branch of Array.isArray(anyOf) ? (anyOf as Json[]) : []) {
    if (!Array.isArray(branch.enum)) throw new StructuralSchemaError(`${at(path)}: a union must be of literals`);
    values.push(...(branch.enum as unknown[]));
  }
  return { ...rest, type: values.every(Number.isInteger) ? 'integer' : 'string', enum: values };
}

/** Replaces zod's bounds of exact doubles by a format. */
function setIntegerFormat(schema: StructuralSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  const bounds = schema.enum?.map(Number) ?? [schema.minimum ?? -Infinity, schema.maximum ?? Infinity];
  schema.format = bounds.every((bound) => bound >= -INT32 && bound < INT32) ? 'int32' : 'int64';
}

function setFormat(schema: StructuralSchema): void {
  if (schema.format !== undefined && SERVER_FORMATS.includes(schema.format)) delete schema.pattern;
  if (schema.format === 'cidrv4') delete schema.format;
}

/** Replaces the pattern by a rule with a message in words: the API server shows a pattern itself as the error. */
function setPatternRule(schema: StructuralSchema, message: string): void {
  const rule = `self.matches(${JSON.stringify(schema.pattern)})`;
  delete schema.pattern;
  schema['x-kubernetes-validations'] = [{ rule, message }, ...(schema['x-kubernetes-validations'] ?? [])];
}

function addChildren(result: StructuralSchema, source: Json, path: string): void {
  const { items, properties, additionalProperties } = source;
  if (isJson(items)) result.items = normalise(items, `${path}[]`);
  if (isJson(additionalProperties)) result.additionalProperties = normalise(additionalProperties, `${path}[*]`);
  if (!isJson(properties)) return;
  result.properties = {};
  for (const [name, property] of Object.entries(properties)) {
    const child = `${path}.${name}`;
    const normal = isJson(property) ? normalise(property, child) : {};
    if ((normal.description ?? '') === '') throw new StructuralSchemaError(`${at(child)}: needs a description`);
    result.properties[name] = normal;
  }
}

function check(schema: StructuralSchema, path: string): void {
  const fault =
    schema.type === undefined
      ? 'needs a type'
      : schema.type === 'string' && schema.enum === undefined && schema.maxLength === undefined
        ? 'needs a maxLength'
        : schema.type === 'array' && schema.maxItems === undefined
          ? 'needs a maxItems'
          : schema.additionalProperties !== undefined && schema.maxProperties === undefined
            ? 'needs a maxProperties'
            : undefined;
  if (fault !== undefined) throw new StructuralSchemaError(`${at(path)}: ${fault}`);
}

function at(path: string): string {
  return path === '' ? 'the object' : path.slice(1);
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
