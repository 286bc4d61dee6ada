import type { Schema } from '../schema.ts';
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, listOf, mapOf, STRING, TIMESTAMP, type CelType } from './types.ts';

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/**
 * The type that rules see values of a schema as; undefined where they see none, such as values that are preserved without a
 * schema. `isResource`: the root of an object, which always has a kind, an apiVersion and names.
 */
export function declaredType(schema: Schema, isResource: boolean, name = 'selfType'): CelType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return DYN;
  switch (schema.type) {
    case 'array':
      return arrayType(schema, name);
    case 'object':
      return objectType(schema, isResource, name);
    case 'string':
      return stringType(schema.format);
    case 'boolean':
      return BOOL;
    case 'number':
      return DOUBLE;
    case 'integer':
      return INT;
    default:
      return undefined;
  }
}

function arrayType({ items }: Schema, name: string): CelType | undefined {
  if (items === undefined) return undefined;
  const item = declaredType(items, items['x-kubernetes-embedded-resource'] === true, `${name}.@idx`);
  return item === undefined ? undefined : listOf(item);
}

function objectType(schema: Schema, isResource: boolean, name: string): CelType | undefined {
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object') {
    const isEmbedded = additionalProperties['x-kubernetes-embedded-resource'] === true;
    const value = declaredType(additionalProperties, isEmbedded, `${name}.@elem`);
    return value === undefined ? undefined : mapOf(STRING, value);
  }
  return new ObjectType(isResource ? withTypeAndNames(schema) : schema, name);
}

/** Declares its fields when they are first asked for. */
class ObjectType {
  readonly kind = 'object';
  readonly name: string;
  readonly #schema: Schema;
  #fields: Map<string, CelType> | undefined;

  constructor(schema: Schema, name: string) {
    this.#schema = schema;
    this.name = name;
  }

  get fields(): ReadonlyMap<string, CelType> {
    if (this.#fields !== undefined) return this.#fields;
    const fields = new Map<string, CelType>();
    for (const [key, property] of Object.entries(this.#schema.properties ?? {})) {
      const escaped = escapeField(key);
      const type = declaredType(property, property['x-kubernetes-embedded-resource'] === true, `${this.name}.${key}`);
      if (escaped !== undefined && type !== undefined) fields.set(escaped, type);
    }
    return (this.#fields = fields);
  }
}

/** The schema of an object with what rules may always read. */
export function withTypeAndNames(schema: Schema): Schema {
  const text: Schema = { type: 'string' };
  const metadata: Schema = { type: 'object', properties: { name: text, generateName: text } };
  return { ...schema, properties: { ...schema.properties, kind: text, apiVersion: text, metadata } };
}

function stringType(format: string | undefined): CelType {
  switch (format) {
    case 'byte':
      return BYTES;
    case 'duration':
      return DURATION;
    case 'date':
    case 'date-time':
      return TIMESTAMP;
    default:
      return STRING;
  }
}

/** Whether CEL reserves the word. */
export function isReserved(word: string): boolean {
  return RESERVED.has(word);
}

/** A field's name as rules spell it; undefined where they cannot. */
export function escapeField(key: string): string | undefined {
  if (key === '' || /^\d/.test(key)) return undefined;
  if (RESERVED.has(key)) return `__${key}__`;
  if (/[^A-Za-z0-9\-./_]/.test(key)) return undefined;
  return key.replace(/__|[-./]/g, (part) => ESCAPES[part] ?? part);
}

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** The field of a spelling that rules use; undefined where it is no field's. */
export function unescapeField(text: string): string | undefined {
  const unknown: string[] = [];
  const key = text.replace(/__([^_]+)__/g, (part, word: string) => {
    const found = Object.entries(ESCAPES).find(([, escape]) => escape === part);
    if (found !== undefined) return found[0];
    if (!RESERVED.has(word) || part.length !== text.length) unknown.push(part);
    return word;
  });
  return unknown.length === 0 ? key : undefined;
}
