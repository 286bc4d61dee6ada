import { equal, type Json } from '../json.ts';
import { compilePattern, fieldErrors, type Schema } from '../schema/index.ts';
import type { FieldError } from '../status.ts';

/** Keywords of JSON schema that CRDs may not hold. */
export const UNSUPPORTED = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
] as const;

type Level = 'root' | 'item' | 'field';

const INT_OR_STRING: Json = [{ type: 'integer' }, { type: 'string' }];
const EMPTY_TYPE = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** What keeps a schema from being structural, in alphabetical order. `path`: where the schema stands in the CRD. */
export function structuralErrors(schema: Schema, path: string): FieldError[] {
  const check = new StructuralCheck();
  check.node(schema, 'root', path);
  check.completeness(schema, schema, path, path);
  const text = ({ field, message }: FieldError) => `${field}: ${message}`;
  return check.errors.sort((a, b) => (text(a) < text(b) ? -1 : 1));
}

/** Whether a schema has a structural form at all; what keeps it from one is told by other checks. */
export function isConvertible(schema: Schema): boolean {
  const { properties = {}, additionalProperties, items, allOf = [], anyOf = [], oneOf = [], not } = schema;
  if (Array.isArray(items) || schema['x-kubernetes-preserve-unknown-fields'] === false) return false;
  // What a schema may not hold is not in its type.
  if (UNSUPPORTED.some((key) => (schema as unknown as Record<string, unknown>)[key] !== undefined)) return false;
  const parts = [...Object.values(properties), ...allOf, ...anyOf, ...oneOf];
  if (items !== undefined) parts.push(items);
  if (not !== undefined) parts.push(not);
  if (typeof additionalProperties === 'object') parts.push(additionalProperties);
  return parts.every(isConvertible);
}

class StructuralCheck {
  readonly errors: FieldError[] = [];

  node(schema: Schema, level: Level, path: string): void {
    this.#children(schema, level, path);
    this.#extensions(schema, path);
    this.#values(schema, path, {
      skipAnyOf: isIntOrString(schema.anyOf),
      skipFirstAllOf: isIntOrString(schema.allOf?.[0]?.anyOf),
    });
    this.#type(schema, level, path);
    this.#resource(schema, level, path);
  }

  #children(schema: Schema, level: Level, path: string): void {
    const { items, properties, additionalProperties } = schema;
    if (schema.type === 'array' && items === undefined) this.#require(`${path}.items`, 'must be specified');
    if (items !== undefined) this.node(items, 'item', `${path}.items`);
    for (const [key, property] of Object.entries(properties ?? {}))
      this.node(property, 'field', `${path}.properties[${key}]`);
    if (additionalProperties === undefined) return;
    if (level === 'root') this.#forbid(`${path}.additionalProperties`, 'must not be used at the root');
    if (typeof additionalProperties === 'object')
      this.node(additionalProperties, 'field', `${path}.additionalProperties`);
  }

  #extensions(schema: Schema, path: string): void {
    if (schema['x-kubernetes-int-or-string'] !== true) return;
    for (const key of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const) {
      if (schema[key] === true)
        this.#refuse(`${path}.${key}`, true, 'must be false if x-kubernetes-int-or-string is true');
    }
  }

  #type(schema: Schema, level: Level, path: string): void {
    const { type } = schema;
    const isFree =
      schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
    if (schema['x-kubernetes-embedded-resource'] === true && type !== 'object') {
      const detail = 'must be object if x-kubernetes-embedded-resource is true';
      if (type === undefined) this.#require(`${path}.type`, detail);
      else this.#refuse(`${path}.type`, type, detail);
    } else if (type === undefined && !isFree) {
      this.#require(`${path}.type`, EMPTY_TYPE[level]);
    }
    if (level === 'root' && type !== undefined && type !== 'object')
      this.#refuse(`${path}.type`, type, 'must be object at the root');
  }

  #resource(schema: Schema, level: Level, path: string): void {
    const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
    const properties = schema.properties ?? {};
    if (isEmbedded && schema.additionalProperties !== undefined)
      this.#forbid(`${path}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set');
    if (level === 'root' || isEmbedded) {
      for (const key of ['kind', 'apiVersion']) {
        const property = properties[key];
        if (property !== undefined && property.type !== 'string')
          this.#refuse(`${path}.properties[${key}].type`, property.type ?? '', 'must be string');
      }
    }
    const { metadata } = properties;
    if (metadata !== undefined) this.#metadata(metadata, level, isEmbedded, `${path}.properties[metadata]`);
    const isPreserved = schema['x-kubernetes-preserve-unknown-fields'] === true;
    if (isEmbedded && !isPreserved && Object.keys(properties).length === 0) {
      const detail =
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
      this.#require(`${path}.properties`, detail);
    }
  }

  #metadata(metadata: Schema, level: Level, isEmbedded: boolean, path: string): void {
    if ((level === 'root' || isEmbedded) && metadata.type !== 'object')
      this.#refuse(`${path}.type`, metadata.type ?? '', 'must be object');
    if (level !== 'root') return;
    const { type: _type, default: _default, properties = {}, ...rest } = metadata;
    const names = Object.keys(properties);
    const isLimited = names.every((name) => name === 'name' || name === 'generateName');
    if (!isLimited || Object.keys(rest).length > 0) {
      const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
      this.#forbid(path, detail);
    }
  }

  #values(schema: Schema, path: string, { skipAnyOf = false, skipFirstAllOf = false } = {}): void {
    if (!skipAnyOf)
      (schema.anyOf ?? []).forEach((part, index) => {
        this.#nested(part, `${path}.anyOf[${index}]`);
      });
    (schema.allOf ?? []).forEach((part, index) => {
      this.#nested(part, `${path}.allOf[${index}]`, skipFirstAllOf && index === 0);
    });
    (schema.oneOf ?? []).forEach((part, index) => {
      this.#nested(part, `${path}.oneOf[${index}]`);
    });
    if (schema.not !== undefined) this.#nested(schema.not, `${path}.not`);
    const { pattern } = schema;
    if (pattern === undefined || pattern === '') return;
    try {
      compilePattern(pattern);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#refuse(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${reason}`);
    }
  }

  /** Inside a junctor only value validation may stand. */
  #nested(part: Schema, path: string, skipAnyOf = false): void {
    this.#values(part, path, { skipAnyOf });
    if (part.items !== undefined) this.#nested(part.items, `${path}.items`);
    for (const [key, property] of Object.entries(part.properties ?? {}))
      this.#nested(property, `${path}.properties[${key}]`);
    for (const [key, isSet, detail] of forbiddenInside(part)) {
      if (isSet) this.#forbid(`${path}.${key}`, `must be ${detail} to be structural`);
    }
    if (part.properties?.['metadata'] !== undefined)
      this.#forbid(`${path}.properties[metadata]`, 'must not be specified in a nested context');
  }

  /** What a junctor speaks of must be declared outside of it. */
  completeness(part: Schema, declared: Schema, path: string, partPath: string): void {
    const { not, allOf = [], anyOf = [], oneOf = [] } = part;
    if (not !== undefined) this.#isDeclared(not, declared, path, `${partPath}.not`);
    for (const [name, parts] of Object.entries({ allOf, anyOf, oneOf })) {
      parts.forEach((inner, index) => {
        this.#isDeclared(inner, declared, path, `${partPath}.${name}[${index}]`);
      });
    }
  }

  #isDeclared(part: Schema, declared: Schema | undefined, path: string, partPath: string): void {
    if (declared === undefined) {
      this.#require(path, `because it is defined in ${partPath}`);
      return;
    }
    this.completeness(part, declared, path, partPath);
    if (part.items !== undefined) this.#isDeclared(part.items, declared.items, `${path}.items`, `${partPath}.items`);
    for (const [key, property] of Object.entries(part.properties ?? {})) {
      const known = declared.properties?.[key];
      this.#isDeclared(property, known, `${path}.properties[${key}]`, `${partPath}.properties[${key}]`);
    }
  }

  #require(field: string, detail: string): void {
    this.errors.push(fieldErrors.required(field, detail));
  }

  #refuse(field: string, value: Json, detail: string): void {
    this.errors.push(fieldErrors.invalid(field, value, detail));
  }

  #forbid(field: string, detail: string): void {
    this.errors.push(fieldErrors.forbidden(field, detail));
  }
}

function isIntOrString(anyOf: Schema[] | undefined): boolean {
  // A schema is JSON.
  return anyOf !== undefined && equal(anyOf as unknown as Json, INT_OR_STRING);
}

function forbiddenInside(part: Schema): readonly (readonly [string, boolean, string])[] {
  const isText = (value: string | undefined) => value !== undefined && value !== '';
  return [
    ['type', isText(part.type), 'empty'],
    [
      'additionalProperties',
      part.additionalProperties !== undefined && part.additionalProperties !== false,
      'undefined',
    ],
    ['default', part.default !== undefined, 'undefined'],
    ['title', isText(part.title), 'empty'],
    ['description', isText(part.description), 'empty'],
    ['nullable', part.nullable === true, 'false'],
    ['x-kubernetes-preserve-unknown-fields', part['x-kubernetes-preserve-unknown-fields'] === true, 'false'],
    ['x-kubernetes-embedded-resource', part['x-kubernetes-embedded-resource'] === true, 'false'],
    ['x-kubernetes-int-or-string', part['x-kubernetes-int-or-string'] === true, 'false'],
    ['x-kubernetes-list-map-keys', (part['x-kubernetes-list-map-keys'] ?? []).length > 0, 'empty'],
    ['x-kubernetes-list-type', part['x-kubernetes-list-type'] !== undefined, 'undefined'],
    ['x-kubernetes-map-type', part['x-kubernetes-map-type'] !== undefined, 'undefined'],
    ['x-kubernetes-validations', (part['x-kubernetes-validations'] ?? []).length > 0, 'empty'],
  ];
}
