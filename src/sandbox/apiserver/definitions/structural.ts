import type { CelRules, Schema } from '../schema/index.ts';
import type { FieldError } from '../status.ts';

/** What a schema may hold; anything else is refused rather than ignored. */
const KNOWN = new Set([
  'type',
  'description',
  'title',
  'example',
  'externalDocs',
  'format',
  'default',
  'nullable',
  'enum',
  'properties',
  'additionalProperties',
  'required',
  'items',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-int-or-string',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
]);
/** What may not stand inside a junctor. */
const STRUCTURE = ['description', 'type', 'default', 'additionalProperties', 'nullable'] as const;

/** Checks that a CRD's schema is structural, and that its rules can be evaluated here. */
export class StructuralCheck {
  readonly #rules: CelRules;
  readonly #errors: FieldError[] = [];

  constructor(rules: CelRules) {
    this.#rules = rules;
  }

  /** `path`: where the schema stands in the CRD. */
  check(schema: Schema, path: string): FieldError[] {
    if (schema.type !== 'object') {
      this.#errors.push({
        field: `${path}.type`,
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${JSON.stringify(schema.type ?? '')}: must be object at the root`,
      });
    }
    this.#node(schema, path, true);
    return this.#errors;
  }

  #node(schema: Schema, path: string, isRoot: boolean): void {
    this.#keywords(schema, path);
    this.#listType(schema, path);
    this.#pattern(schema, path);
    this.#validations(schema, path);
    this.#children(schema, path, isRoot);
    this.#junctors(schema, schema, path);
    const isFree =
      schema['x-kubernetes-preserve-unknown-fields'] === true || schema['x-kubernetes-int-or-string'] === true;
    if (schema.type === undefined && !isFree && !isRoot) {
      this.#require(
        `${path}.type`,
        `must not be empty for specified ${path.endsWith('.items') ? 'array items' : 'object fields'}`,
      );
    }
  }

  #children(schema: Schema, path: string, isRoot: boolean): void {
    const { properties, additionalProperties, items } = schema;
    if (properties !== undefined && additionalProperties !== undefined) {
      this.#forbid(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive');
    }
    if (schema.type === 'array' && items === undefined) this.#require(`${path}.items`, 'must be specified');
    for (const [key, property] of Object.entries(properties ?? {})) {
      if (isRoot && ['apiVersion', 'kind', 'metadata'].includes(key)) continue;
      this.#node(property, `${path}.properties[${key}]`, false);
    }
    if (typeof additionalProperties === 'object')
      this.#node(additionalProperties, `${path}.additionalProperties`, false);
    if (items !== undefined) this.#node(items, `${path}.items`, false);
  }

  #junctors(schema: Schema, owner: Schema, path: string): void {
    for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const) {
      (schema[junctor] ?? []).forEach((part, index) => {
        this.#junctor(part, owner, `${path}.${junctor}[${index}]`);
      });
    }
    if (schema.not !== undefined) this.#junctor(schema.not, owner, `${path}.not`);
  }

  #validations(schema: Schema, path: string): void {
    (schema['x-kubernetes-validations'] ?? []).forEach((rule, index) => {
      const problem = this.#rules.problemOf(rule);
      if (problem === undefined) return;
      const message = `Invalid value: ${JSON.stringify(rule.rule)}: compilation failed: ${problem}`;
      this.#errors.push({
        field: `${path}.x-kubernetes-validations[${index}].rule`,
        reason: 'FieldValueInvalid',
        message,
      });
    });
  }

  #keywords(schema: Schema, path: string): void {
    for (const key of Object.keys(schema)) if (!KNOWN.has(key)) this.#forbid(`${path}.${key}`, 'not supported');
    if (schema.uniqueItems === true)
      this.#forbid(
        `${path}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      );
  }

  #listType(schema: Schema, path: string): void {
    const keys = schema['x-kubernetes-list-map-keys'];
    if (schema['x-kubernetes-list-type'] !== 'map') return;
    if (keys === undefined || keys.length === 0) {
      this.#require(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map');
    }
    for (const key of keys ?? []) {
      const isSafe =
        schema.items?.required?.includes(key) === true || schema.items?.properties?.[key]?.default !== undefined;
      if (!isSafe)
        this.#require(
          `${path}.items.properties[${key}].default`,
          'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
        );
    }
  }

  #pattern({ pattern }: Schema, path: string): void {
    if (pattern === undefined) return;
    try {
      new RegExp(pattern, 'u');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#errors.push({
        field: `${path}.pattern`,
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${JSON.stringify(pattern)}: must be a valid regular expression, but isn't: ${reason}`,
      });
    }
    // Go's RE2 has none of these, JavaScript has.
    if (/\(\?(=|!|<=|<!)|\\[1-9]/.test(pattern)) {
      this.#errors.push({
        field: `${path}.pattern`,
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${JSON.stringify(pattern)}: must be a valid regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax`,
      });
    }
  }

  /** Inside a junctor only value validation may stand, of fields that the schema itself declares. */
  #junctor(part: Schema, owner: Schema, path: string): void {
    this.#keywords(part, path);
    const isIntOrString = owner['x-kubernetes-int-or-string'] === true;
    for (const key of STRUCTURE) {
      if (part[key] !== undefined && !(isIntOrString && key === 'type'))
        this.#forbid(`${path}.${key}`, 'must be empty to be structural');
    }
    for (const [key, property] of Object.entries(part.properties ?? {})) {
      const declared = owner.properties?.[key];
      if (declared === undefined) {
        const home = path.replace(/\.(allOf|anyOf|oneOf)\[\d+\]$|\.not$/, '');
        this.#require(
          `${home}.properties[${key}]`,
          `because it is defined in ${path.slice(path.lastIndexOf('.') + 1)}.properties[${key}]`,
        );
      }
      this.#junctor(property, declared ?? {}, `${path}.properties[${key}]`);
    }
    if (part.items !== undefined) this.#junctor(part.items, owner.items ?? {}, `${path}.items`);
    this.#junctors(part, owner, path);
  }

  #require(field: string, text: string): void {
    this.#errors.push({ field, reason: 'FieldValueRequired', message: `Required value: ${text}` });
  }

  #forbid(field: string, text: string): void {
    this.#errors.push({ field, reason: 'FieldValueForbidden', message: `Forbidden: ${text}` });
  }
}
