import { isObject, type Json, type JsonObject } from '../json.ts';
import type { FieldError } from '../status.ts';
import type { Correlation } from './correlation.ts';
import { fieldErrors } from './field-errors.ts';
import { hasFormat, isEnforced } from './formats.ts';
import { goValue, goFloat, quoted } from './go-text.ts';
import { compilePattern } from './patterns.ts';
import { fieldPath, type Schema } from './schema.ts';

export interface ValidateOptions {
  /** Where the value stands; the words of errors name paths below the value alone. */
  at?: string;
  /** What the value was before: errors of what has not changed are dropped. */
  correlation?: Correlation | undefined;
}

/**
 * Everything that is wrong with a value by its schema, in the words of kube-openapi's validator, which kube-apiserver
 * uses. The uniqueness of list items, embedded resources and CEL rules are apart.
 */
export function validate(
  value: Json | undefined,
  schema: Schema,
  { at = '', correlation }: ValidateOptions = {},
): FieldError[] {
  const result = new Result(at);
  check(value, schema, '', correlation, result);
  return result.errors;
}

/** What a check found, and how much of a schema matched: alternatives are told by the one that matches best. */
class Result {
  readonly errors: FieldError[] = [];
  readonly #at: string;
  /** Of the errors, in their order. */
  readonly #texts: string[] = [];
  matches = 0;

  constructor(at: string) {
    this.#at = at;
  }

  get isValid(): boolean {
    return this.errors.length === 0;
  }

  fork(): Result {
    return new Result(this.#at);
  }

  /** `path` is of the value, from the root of what is validated. */
  field(path: string): string {
    return path === '' ? this.#at : fieldPath(this.#at, path.replace(/^\./, ''));
  }

  /** The same text is said once. */
  add(text: string, error: FieldError): void {
    if (this.#texts.includes(text)) return;
    this.#texts.push(text);
    this.errors.push(error);
  }

  invalid(path: string, value: Json | undefined, text: string): void {
    this.add(text, fieldErrors.invalid(this.field(path), value, text));
  }

  /** An error of the whole object, as alternatives are. */
  composite(text: string): void {
    this.add(text, fieldErrors.invalid(this.#at, '', text));
  }

  merge(other: Result): void {
    this.matches += other.matches;
    other.errors.forEach((error, index) => {
      this.add(other.#texts[index] ?? '', error);
    });
  }
}

function check(
  value: Json | undefined,
  schema: Schema,
  path: string,
  correlation: Correlation | undefined,
  into: Result,
): void {
  if (correlation === undefined) {
    checkValue(value, schema, path, undefined, into);
    return;
  }
  const result = into.fork();
  checkValue(value, schema, path, correlation, result);
  if (result.isValid || !correlation.isUnchanged) into.merge(result);
  else into.matches += result.matches;
}

/** The order of the checks is kube-openapi's, and so is the order of errors. */
function checkValue(
  value: Json | undefined,
  schema: Schema,
  path: string,
  correlation: Correlation | undefined,
  result: Result,
): void {
  const types = typesOf(schema);
  if (value === null || value === undefined) {
    if (types.length > 0 && schema.nullable !== true) mismatch(path, types.join(','), 'null', result);
    else result.matches += 1;
    checkEnum(value, schema, path, result);
    return;
  }
  if (types.length > 0 || isEnforced(schema.format)) {
    checkType(value, types, schema, path, result);
    result.matches += 1;
  }
  checkJunctors(value, schema, path, result);
  if (typeof value === 'string') checkString(value, schema, path, result);
  else if (typeof value === 'number') checkNumber(value, schema, path, result);
  else if (Array.isArray(value)) checkArray(value, schema, path, correlation, result);
  checkEnum(value, schema, path, result);
  if (isObject(value)) checkObject(value, schema, path, correlation, result);
  // For the schema itself and for its alternatives and its enum, which always apply.
  result.matches += 4;
}

function typesOf(schema: Schema): string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type === undefined ? [] : [schema.type];
}

function typeName(value: Json): string {
  if (Array.isArray(value)) return 'array';
  // What an int64 cannot hold is read as a float64.
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? 'integer' : typeof value;
}

function mismatch(path: string, wanted: string, actual: string, result: Result): void {
  const text = `${path} in body must be of type ${wanted}: ${quoted(actual)}`;
  result.add(text, fieldErrors.typeInvalid(result.field(path), actual, text));
}

function checkType(value: Json, types: string[], schema: Schema, path: string, result: Result): void {
  const actual = typeName(value);
  const isText = typeof value === 'string' || Array.isArray(value);
  const matches = types.includes(actual) || (actual === 'integer' && types.includes('number'));
  const format = isEnforced(schema.format) ? schema.format : undefined;
  if (!isText && format !== undefined && !matches) {
    // Other types are compared with the format, and have none of their own.
    mismatch(path, format, typeof value === 'number' ? (actual === 'integer' ? 'int64' : 'float64') : '', result);
    return;
  }
  const isNumeric = types.includes('number') || types.includes('integer');
  // With a format, strings and arrays pass for each other.
  if (matches || (!isNumeric && format !== undefined && isText)) result.matches += 1;
  else mismatch(path, types.join(','), actual, result);
}

function checkJunctors(value: Json, schema: Schema, path: string, result: Result): void {
  const { allOf, anyOf, oneOf, not } = schema;
  if (anyOf !== undefined && anyOf.length > 0) checkAnyOf(value, anyOf, path, result);
  if (oneOf !== undefined && oneOf.length > 0) checkOneOf(value, oneOf, path, result);
  if (allOf !== undefined && allOf.length > 0) {
    const parts = allOf.map((part) => attempt(value, part, path, result));
    const valid = parts.filter((part) => part.isValid).length;
    for (const part of parts) result.merge(part);
    if (valid < parts.length)
      result.composite(`${quoted(path)} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
  }
  if (not !== undefined && attempt(value, not, path, result).isValid)
    result.composite(`${quoted(path)} must not validate the schema (not)`);
  result.matches += 1;
}

function attempt(value: Json, schema: Schema, path: string, result: Result): Result {
  const part = result.fork();
  check(value, schema, path, undefined, part);
  return part;
}

function checkAnyOf(value: Json, anyOf: Schema[], path: string, result: Result): void {
  let best: Result | undefined;
  for (const schema of anyOf) {
    const part = attempt(value, schema, path, result);
    if (part.isValid) {
      result.merge(part);
      return;
    }
    if (best === undefined || part.matches > best.matches) best = part;
  }
  result.composite(`${quoted(path)} must validate at least one schema (anyOf)`);
  if (best !== undefined) result.merge(best);
}

function checkOneOf(value: Json, oneOf: Schema[], path: string, result: Result): void {
  const parts = oneOf.map((schema) => attempt(value, schema, path, result));
  const valid = parts.filter((part) => part.isValid);
  const [first] = valid;
  if (first !== undefined && valid.length === 1) {
    result.merge(first);
    return;
  }
  const found = valid.length === 0 ? 'none valid' : `${valid.length} valid alternatives`;
  result.composite(`${quoted(path)} must validate one and only one schema (oneOf). Found ${found}`);
  if (valid.length > 0) return;
  result.merge(parts.reduce((best, part) => (part.matches > best.matches ? part : best)));
}

function checkString(value: string, schema: Schema, path: string, result: Result): void {
  const { minLength, maxLength, pattern, format } = schema;
  const length = minLength === undefined && maxLength === undefined ? 0 : codePoints(value);
  // Only the first of these is told.
  if (maxLength !== undefined && length > maxLength) {
    result.add(
      `${path} in body should be at most ${maxLength} chars long`,
      fieldErrors.tooLong(result.field(path), maxLength),
    );
  } else if (minLength !== undefined && length < minLength) {
    result.invalid(path, value, `${path} in body should be at least ${minLength} chars long`);
  } else if (pattern !== undefined && pattern !== '' && !compilePattern(pattern).test(value)) {
    result.invalid(path, value, `${path} in body should match '${pattern}'`);
  }
  result.matches += 1;
  if (!isEnforced(format)) return;
  if (!hasFormat(value, format)) mismatch(path, format ?? '', value, result);
  result.matches += 1;
}

/** Characters as Go counts them. */
function codePoints(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

function checkNumber(value: number, schema: Schema, path: string, result: Result): void {
  const { multipleOf } = schema;
  // Go compares integers as integers, bounds cut off.
  const isInteger = Number.isInteger(value);
  const shown = isInteger ? goValue : goFloat;
  const bound = (number = NaN) => (isInteger ? Math.trunc(number) : number);
  const [minimum, maximum] = [bound(schema.minimum), bound(schema.maximum)];
  const below = schema.exclusiveMinimum === true ? value <= minimum : value < minimum;
  const above = schema.exclusiveMaximum === true ? value >= maximum : value > maximum;
  if (multipleOf !== undefined) checkMultiple(value, multipleOf, path, result);
  if (below) {
    const than = schema.exclusiveMinimum === true ? '' : 'or equal to ';
    result.invalid(path, value, `${path} in body should be greater than ${than}${shown(minimum)}`);
  }
  if (above) {
    const than = schema.exclusiveMaximum === true ? '' : 'or equal to ';
    result.invalid(path, value, `${path} in body should be less than ${than}${shown(maximum)}`);
  }
  result.matches += 2;
}

function checkMultiple(value: number, multipleOf: number, path: string, result: Result): void {
  const shown = Number.isInteger(value) ? goValue : goFloat;
  const factor = Number.isInteger(value) ? Math.trunc(multipleOf) : multipleOf;
  if (factor <= 0) {
    result.invalid(path, '', `factor MultipleOf declared for ${path} must be positive: ${shown(factor)}`);
    return;
  }
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  if (Math.abs(quotient - Math.round(quotient)) > 1e-9)
    result.invalid(path, value, `${path} in body should be a multiple of ${shown(factor)}`);
}

function checkEnum(value: Json | undefined, schema: Schema, path: string, result: Result): void {
  const { enum: choices } = schema;
  if (choices === undefined || choices.length === 0) return;
  const text = value === undefined ? 'null' : JSON.stringify(value);
  if (choices.some((choice) => choice === value || JSON.stringify(choice) === text)) return;
  const supported = choices.map((choice) => (typeof choice === 'string' ? choice : JSON.stringify(choice)));
  result.add(
    `${path} in body should be one of [${choices.map(goValue).join(' ')}]`,
    fieldErrors.notSupported(result.field(path), value ?? null, supported),
  );
}

function checkArray(
  value: Json[],
  schema: Schema,
  path: string,
  correlation: Correlation | undefined,
  result: Result,
): void {
  const { minItems, maxItems, items } = schema;
  if (items !== undefined) {
    value.forEach((item, index) => {
      check(item, items, `${path}[${index}]`, correlation?.index(index), result);
    });
  }
  if (minItems !== undefined && value.length < minItems)
    result.invalid(path, value.length, `${path} in body should have at least ${minItems} items`);
  if (maxItems !== undefined && value.length > maxItems) {
    result.add(
      `${path} in body should have at most ${maxItems} items`,
      fieldErrors.tooMany(result.field(path), value.length, maxItems),
    );
  }
  result.matches += 2;
}

function checkSize(size: number, { minProperties, maxProperties }: Schema, path: string, result: Result): void {
  if (minProperties !== undefined && size < minProperties)
    result.invalid(path, size, `${path} in body should have at least ${minProperties} properties`);
  if (maxProperties !== undefined && size > maxProperties) {
    result.add(
      `${path} in body should have at most ${maxProperties} properties`,
      fieldErrors.tooMany(result.field(path), size, maxProperties),
    );
  }
}

function checkObject(
  value: JsonObject,
  schema: Schema,
  path: string,
  correlation: Correlation | undefined,
  result: Result,
): void {
  const { properties = {}, additionalProperties, required } = schema;
  const keys = Object.keys(value);
  checkSize(keys.length, schema, path, result);
  for (const key of keys) {
    if (Object.hasOwn(properties, key)) continue;
    if (additionalProperties === false) result.invalid(path, key, `${path}.${key} in body is a forbidden property`);
    else if (typeof additionalProperties === 'object')
      check(value[key], additionalProperties, `${path}.${key}`, correlation?.key(key), result);
  }
  for (const key of keys) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) continue;
    const isTypeMeta = path === '' && (key === 'apiVersion' || key === 'kind');
    check(value[key], property, fieldPath(path, key), isTypeMeta ? undefined : correlation?.key(key), result);
  }
  for (const key of required ?? []) {
    if (value[key] === undefined)
      result.add(`${path}.${key} in body is required`, fieldErrors.required(result.field(`${path}.${key}`)));
  }
  result.matches += 1;
}
