import type { Json } from '../json.ts';
import { fieldErrors, isMissing, type CelRules, type Schema, type ValidationRule } from '../schema/index.ts';
import type { FieldError } from '../status.ts';
import { followFieldPath } from './field-path.ts';
import { internalForm } from './internal-form.ts';
import { UNSUPPORTED } from './structural.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const META_FIELDS = new Set(['metadata', 'kind', 'apiVersion']);

/** What holds for a part of a schema by where it stands. */
interface Position {
  readonly path: string;
  readonly isRoot: boolean;
  /** Within the schema of apiVersion, kind or metadata. */
  readonly inMeta: boolean;
  /** Why no default may stand here. */
  readonly noDefaults?: string | undefined;
  /** Outermost list or map whose items cannot be told from those before an update. */
  readonly uncorrelated?: string | undefined;
  /** Rules are compiled: not within junctors. */
  readonly hasRules: boolean;
}

/** Checks the keywords of a structural schema, and compiles its CEL rules. `path`: where it stands in the CRD. */
export function schemaErrors(schema: Schema, path: string, rules: CelRules | undefined): FieldError[] {
  const check = new SchemaCheck(rules);
  check.node(schema, { path, isRoot: true, inMeta: false, hasRules: rules !== undefined });
  return [...check.errors, ...check.ruleErrors];
}

class SchemaCheck {
  readonly errors: FieldError[] = [];
  readonly ruleErrors: FieldError[] = [];
  readonly #rules: CelRules | undefined;

  constructor(rules: CelRules | undefined) {
    this.#rules = rules;
  }

  node(schema: Schema, position: Position): void {
    const before = this.errors.length;
    this.#keywords(schema, position);
    this.#children(schema, position);
    this.#junctors(schema, position);
    this.#items(schema, position);
    this.#extensions(schema, position.path);
    this.#listType(schema, position.path);
    const rules = schema['x-kubernetes-validations'] ?? [];
    rules.forEach((rule, index) => {
      this.#ruleForm(rule, schema, `${position.path}.x-kubernetes-validations[${index}]`);
    });
    // A rule cannot be compiled for a schema that is wrong.
    if (rules.length > 0 && position.hasRules && this.errors.length === before) this.#compile(schema, rules, position);
  }

  #keywords(schema: Schema, { path, inMeta, noDefaults }: Position): void {
    const { type, format } = schema as { type?: string; format?: string };
    if (type !== undefined && type !== '' && !TYPES.includes(type))
      this.errors.push(fieldErrors.notSupported(`${path}.type`, type, TYPES));
    if (schema.default !== undefined && noDefaults !== undefined)
      this.#forbid(`${path}.default`, `must not be set ${noDefaults}`);
    for (const key of UNSUPPORTED) {
      // What a schema may not hold is not in its type.
      if ((schema as unknown as Record<string, unknown>)[key] !== undefined)
        this.#forbid(`${path}.${key}`, `${key} is not supported`);
    }
    if (type === 'null') this.#forbid(`${path}.type`, 'type cannot be set to null, use nullable as an alternative');
    if (Array.isArray(schema.items)) this.#forbid(`${path}.items`, 'items must be a schema object and not an array');
    if (inMeta && schema['x-kubernetes-embedded-resource'] === true)
      this.#forbid(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta');
    if (schema.uniqueItems === true)
      this.#forbid(
        `${path}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      );
    if (format !== undefined && isMissing(format))
      this.#forbid(`${path}.format`, `the format ${format} is not implemented by the sandbox's API server`);
  }

  #children(schema: Schema, position: Position): void {
    const { properties, additionalProperties } = schema;
    const { path } = position;
    if (additionalProperties !== undefined) {
      if (Object.keys(properties ?? {}).length > 0 && additionalProperties !== true)
        this.#forbid(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive');
      if (typeof additionalProperties === 'object')
        this.node(additionalProperties, {
          ...position,
          path: `${path}.additionalProperties`,
          isRoot: false,
          noDefaults: position.inMeta ? 'inside additionalProperties applying to object metadata' : position.noDefaults,
        });
    }
    const isResource = position.isRoot || schema['x-kubernetes-embedded-resource'] === true;
    for (const [key, property] of Object.entries(properties ?? {})) {
      const isMeta = isResource && META_FIELDS.has(key);
      this.node(property, {
        ...position,
        path: `${path}.properties[${key}]`,
        isRoot: false,
        inMeta: position.inMeta || isMeta,
        noDefaults: isMeta && position.isRoot ? `in top-level ${key}` : position.noDefaults,
      });
    }
  }

  #junctors({ not, allOf = [], oneOf = [], anyOf = [] }: Schema, position: Position): void {
    const inner = { ...position, isRoot: false, hasRules: false };
    if (not !== undefined) this.node(not, { ...inner, path: `${position.path}.not` });
    for (const [name, parts] of Object.entries({ allOf, oneOf, anyOf })) {
      parts.forEach((part, index) => {
        this.node(part, { ...inner, path: `${position.path}.${name}[${index}]` });
      });
    }
  }

  #items(schema: Schema, position: Position): void {
    const { items } = schema;
    if (items === undefined || Array.isArray(items)) return;
    const isCorrelated = schema['x-kubernetes-list-type'] === 'map';
    this.node(items, {
      ...position,
      path: `${position.path}.items`,
      isRoot: false,
      uncorrelated: position.uncorrelated ?? (isCorrelated ? undefined : position.path),
    });
  }

  #extensions(schema: Schema, path: string): void {
    const { type } = schema;
    const mapType: string | undefined = schema['x-kubernetes-map-type'];
    const listType: string | undefined = schema['x-kubernetes-list-type'];
    if (schema['x-kubernetes-preserve-unknown-fields'] === false)
      this.#refuse(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined');
    if (mapType !== undefined && type !== 'object')
      this.#wrongType(path, type, 'must be object if x-kubernetes-map-type is specified');
    if (mapType !== undefined && mapType !== 'atomic' && mapType !== 'granular')
      this.errors.push(fieldErrors.notSupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']));
    if (listType !== undefined && type !== 'array')
      this.#wrongType(path, type, 'must be array if x-kubernetes-list-type is specified');
    else if (listType === 'set' && schema.items !== undefined) this.#setItems(schema.items, path);
    if (listType !== undefined && !['atomic', 'set', 'map'].includes(listType))
      this.errors.push(fieldErrors.notSupported(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']));
  }

  #wrongType(path: string, type: string | undefined, detail: string): void {
    if (type === undefined) this.#require(`${path}.type`, detail);
    else this.#refuse(`${path}.type`, type, detail);
  }

  #setItems(items: Schema, path: string): void {
    const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
    const listType = items['x-kubernetes-list-type'];
    if (items.type === 'array' && listType !== undefined && listType !== 'atomic')
      this.#refuse(`${path}.items.x-kubernetes-list-type`, listType, detail);
    if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
      this.#refuse(`${path}.items.x-kubernetes-map-type`, listType ?? null, detail);
  }

  #listType(schema: Schema, path: string): void {
    const keys = schema['x-kubernetes-list-map-keys'] ?? [];
    const listType: string | undefined = schema['x-kubernetes-list-type'];
    const { items } = schema;
    if (keys.length > 0 && listType !== 'map') {
      const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
      if (listType === undefined) this.#require(`${path}.x-kubernetes-list-type`, detail);
      else this.#refuse(`${path}.x-kubernetes-list-type`, listType, detail);
    }
    if (listType === 'map') {
      if (keys.length === 0)
        this.#require(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map');
      if (items === undefined) this.#require(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map');
      else if (items.type !== 'object')
        this.#refuse(
          `${path}.items.type`,
          items.type ?? '',
          "must be object if parent array's x-kubernetes-list-type is map",
        );
      else this.#mapKeys(keys, items, path);
    }
    if (items === undefined || (listType !== 'set' && listType !== 'map')) return;
    if (items.nullable === true)
      this.#forbid(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`);
    if (listType === 'map') this.#safeKeys(keys, items, path);
  }

  #mapKeys(keys: string[], items: Schema, path: string): void {
    keys.forEach((key, index) => {
      const property = items.properties?.[key];
      if (property === undefined)
        this.#refuse(`${path}.x-kubernetes-list-map-keys`, keys, 'entries must all be names of item properties');
      else if (property.type === 'array' || property.type === 'object')
        this.#refuse(
          `${path}.items.properties[${key}].type`,
          'object',
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        );
      if (keys.indexOf(key) < index)
        this.#refuse(`${path}.x-kubernetes-list-map-keys`, keys, 'must not contain duplicate entries');
    });
  }

  #safeKeys(keys: string[], items: Schema, path: string): void {
    const what = 'this property is in x-kubernetes-list-map-keys, so it';
    for (const key of keys) {
      const property = items.properties?.[key];
      if (property === undefined) continue;
      const where = `${path}.items.properties[${key}]`;
      if (items.required?.includes(key) !== true && property.default === undefined)
        this.#require(`${where}.default`, `${what} must have a default or be a required property`);
      if (property.nullable === true) this.#forbid(`${where}.nullable`, `${what} cannot be nullable`);
    }
  }

  #ruleForm(rule: ValidationRule, schema: Schema, path: string): void {
    const { message = '', messageExpression = '', fieldPath = '' } = rule;
    const isBroken = (text: string) => /[\n\r]/.test(text);
    if (rule.rule.trim() === '') this.#require(`${path}.rule`, 'rule is not specified');
    else if (message !== '' && message.trim() === '')
      this.#refuse(`${path}.message`, message, 'must be non-empty if specified');
    else if (isBroken(message.trim())) this.#refuse(`${path}.message`, message, 'must not contain line breaks');
    else if (isBroken(rule.rule.trim()) && message.trim() === '')
      this.#require(`${path}.message`, 'message must be specified if rule contains line breaks');
    if (messageExpression !== '' && messageExpression.trim() === '')
      this.#require(`${path}.messageExpression`, 'messageExpression must be non-empty if specified');
    if (rule.reason !== undefined && !REASONS.includes(rule.reason))
      this.errors.push(fieldErrors.notSupported(`${path}.reason`, rule.reason, REASONS));
    if (fieldPath === '') return;
    if (fieldPath.trim() === '') this.#refuse(`${path}.fieldPath`, fieldPath, 'must be non-empty if specified');
    if (isBroken(fieldPath)) this.#refuse(`${path}.fieldPath`, fieldPath, 'must not contain line breaks');
    if (!isPath(fieldPath, schema)) this.#refuse(`${path}.fieldPath`, fieldPath, 'must be a valid path');
  }

  #compile(schema: Schema, rules: ValidationRule[], { path, isRoot, uncorrelated }: Position): void {
    const compiled = this.#rules?.compile(schema, isRoot || schema['x-kubernetes-embedded-resource'] === true);
    if (compiled === undefined) {
      const detail =
        'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
      this.ruleErrors.push(fieldErrors.internal(`${path}.x-kubernetes-validations`, detail));
      return;
    }
    const refuse = (field: string, value: Json, detail: string) =>
      this.ruleErrors.push(fieldErrors.invalid(field, value, detail));
    const refuseRule = (field: string, form: string, detail: string) =>
      this.ruleErrors.push(fieldErrors.invalidShown(field, form, detail));
    rules.forEach((rule, index) => {
      const where = `${path}.x-kubernetes-validations[${index}]`;
      const found = compiled[index];
      if (found === undefined) return;
      // A rule is JSON.
      const form = internalForm.rule(rule as unknown as Json);
      if (found.problem !== undefined) refuseRule(`${where}.rule`, form, found.problem);
      if (found.messageProblem !== undefined) refuseRule(`${where}.messageExpression`, form, found.messageProblem);
      if (found.usesOldSelf && uncorrelated !== undefined)
        refuse(
          `${where}.rule`,
          rule.rule,
          `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`,
        );
      if (!found.usesOldSelf && rule.optionalOldSelf !== undefined)
        refuse(`${where}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule');
    });
  }

  #require(field: string, detail: string): void {
    this.errors.push(fieldErrors.required(field, detail));
  }

  #refuse(field: string, value: Json | undefined, detail: string): void {
    this.errors.push(fieldErrors.invalid(field, value, detail));
  }

  #forbid(field: string, detail: string): void {
    this.errors.push(fieldErrors.forbidden(field, detail));
  }
}

function isPath(text: string, schema: Schema): boolean {
  try {
    followFieldPath(text, schema);
    return true;
  } catch {
    return false;
  }
}
