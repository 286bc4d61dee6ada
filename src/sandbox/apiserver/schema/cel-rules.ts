import type { Environment } from '@marcbachmann/cel-js';
import { isIP } from 'node:net';
import { isObject, type Json } from '../json.ts';
import type { FieldError } from '../status.ts';
import { hasFormat } from './formats.ts';
import { fieldPath, propertyOf, type Schema, type ValidationRule } from './schema.ts';

type Compiled = (context: { self: unknown; oldSelf?: unknown }) => unknown;

/** Compiles and evaluates the rules of `x-kubernetes-validations`. */
export class CelRules {
  readonly #environment: Environment;
  readonly #compiled = new WeakMap<ValidationRule, Compiled>();

  private constructor(environment: Environment) {
    this.#environment = environment;
  }

  static async load(): Promise<CelRules> {
    const { Environment } = await import('@marcbachmann/cel-js');
    const environment = new Environment({ enableOptionalTypes: true })
      .registerVariable('self', 'dyn')
      .registerVariable('oldSelf', 'dyn')
      .registerFunction('isIP(string): bool', (text: string) => isIP(text) !== 0)
      .registerFunction('isCIDR(string): bool', (text: string) => hasFormat(text, 'cidr'))
      .registerFunction('isURL(string): bool', (text: string) => URL.canParse(text));
    return new CelRules(environment);
  }

  /** What keeps a rule from being evaluated here, or undefined. */
  problemOf(rule: ValidationRule): string | undefined {
    try {
      this.#compile(rule);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** The rules that `value` breaks. `previous` is undefined for a create: rules about `oldSelf` then do not apply. */
  check(value: Json | undefined, previous: Json | undefined, schema: Schema, path = ''): FieldError[] {
    const errors: FieldError[] = [];
    this.#walk(value, previous, schema, path, errors);
    return errors;
  }

  #walk(value: Json | undefined, previous: Json | undefined, schema: Schema, path: string, errors: FieldError[]): void {
    if (value === undefined || value === null) return;
    for (const rule of schema['x-kubernetes-validations'] ?? []) {
      const error = this.#apply(rule, value, previous, schema, path);
      if (error !== undefined) errors.push(error);
    }
    if (Array.isArray(value)) {
      const { items } = schema;
      if (items === undefined || !hasRules(items)) return;
      value.forEach((item, index) => {
        this.#walk(item, correlated(item, previous, schema), items, `${path}[${index}]`, errors);
      });
    } else if (isObject(value)) {
      const before = isObject(previous) ? previous : undefined;
      for (const key of Object.keys(value)) {
        const property = propertyOf(schema, key);
        if (property !== undefined && hasRules(property))
          this.#walk(value[key], before?.[key], property, fieldPath(path, key), errors);
      }
    }
  }

  #apply(
    rule: ValidationRule,
    value: Json,
    previous: Json | undefined,
    schema: Schema,
    path: string,
  ): FieldError | undefined {
    const isTransition = /\boldSelf\b/.test(rule.rule);
    if (isTransition && previous === undefined) return undefined;
    const field = rule.fieldPath === undefined ? path : `${path}${rule.fieldPath}`;
    try {
      const self = toCel(value, schema);
      const result = this.#compile(rule)(isTransition ? { self, oldSelf: toCel(previous, schema) } : { self });
      if (result === true) return undefined;
      return failure(field === '' ? '<nil>' : field, rule, schema, rule.message ?? `failed rule: ${rule.rule}`);
    } catch (error) {
      const reason = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
      return failure(field, rule, schema, `rule evaluation error: ${reason}: evaluating rule: ${rule.rule}`);
    }
  }

  #compile(rule: ValidationRule): Compiled {
    const known = this.#compiled.get(rule);
    if (known !== undefined) return known;
    if (rule.messageExpression !== undefined) throw new Error('messageExpression is not implemented');
    if (rule.optionalOldSelf === true) throw new Error('optionalOldSelf is not implemented');
    const parsed = this.#environment.parse(rule.rule);
    const check = parsed.check();
    if (!check.valid) throw check.error ?? new Error('does not compile');
    if (check.type !== 'bool' && check.type !== 'dyn')
      throw new Error(`must evaluate to a bool, not ${check.type ?? 'unknown'}`);
    this.#compiled.set(rule, parsed);
    return parsed;
  }
}

function failure(field: string, rule: ValidationRule, schema: Schema, message: string): FieldError {
  const reason = (rule.reason ?? 'FieldValueInvalid') as FieldError['reason']; // the four values that a CRD may hold are FieldErrors' too
  const prefix = {
    FieldValueForbidden: 'Forbidden',
    FieldValueRequired: 'Required value',
    FieldValueDuplicate: 'Duplicate value',
  }[reason as string];
  return {
    field,
    reason,
    message: prefix === undefined ? `Invalid value: "${schema.type ?? 'object'}": ${message}` : `${prefix}: ${message}`,
  };
}

/** Whether the schema or something in it has rules: most subtrees have none and need no walk. */
function hasRules(schema: Schema): boolean {
  if (schema['x-kubernetes-validations'] !== undefined) return true;
  if (Object.values(schema.properties ?? {}).some(hasRules)) return true;
  if (typeof schema.additionalProperties === 'object' && hasRules(schema.additionalProperties)) return true;
  return schema.items !== undefined && hasRules(schema.items);
}

/** The item of the old list that a list item came from: only lists of type map tell. */
function correlated(item: Json, previous: Json | undefined, schema: Schema): Json | undefined {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] !== 'map' || keys === undefined || !Array.isArray(previous) || !isObject(item))
    return undefined;
  return previous.find((other) => isObject(other) && keys.every((key) => other[key] === item[key]));
}

/** CEL tells int from double, JSON does not: the schema decides. */
function toCel(value: Json | undefined, schema: Schema | undefined): unknown {
  if (typeof value === 'number') {
    const integer = schema?.type === 'integer' || (schema?.type !== 'number' && Number.isSafeInteger(value));
    return integer ? BigInt(value) : value;
  }
  if (Array.isArray(value)) return value.map((item) => toCel(item, schema?.items));
  if (!isObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) result[escaped(key)] = toCel(item, propertyOf(schema, key));
  return result;
}

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** Property names that CEL cannot spell are written otherwise in rules. */
function escaped(key: string): string {
  if (RESERVED.has(key)) return `__${key}__`;
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(key) && !key.includes('__')) return key;
  return key
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}
