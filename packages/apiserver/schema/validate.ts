import { isObject, type Json, type JsonObject } from '../json.ts';
import type { FieldError } from '../status.ts';
import type { Correlation } from './correlation.ts';
import { fieldErrors } from './field-errors.ts';
import { hasFormat, isEnforced, enumErrors, numberErrors, stringErrors } from './scalars.ts';
import { fieldPath, type Schema } from './schema.ts';

export interface ValidateOptions {
  /** The path of the value, for the fields of errors. Messages have paths relative to the value. */
  at?: string;
  /** Drops the errors of values that an update did not change. */
  correlation?: Correlation | undefined;
}

/**
 * Validates a value by its schema, with the messages of kube-openapi's validator. Does not check the uniqueness of list
 * items, embedded resources and CEL rules.
 */
export function validate(
  value: Json | undefined,
  schema: Schema,
  { at = '', correlation }: ValidateOptions = {},
): FieldError[] {
  const found = new Map<string, FieldError>();
  for (const error of check(value, schema, '', correlation)) {
    const path = error.field === '<nil>' ? '' : error.field.replace(/^\./, '');
    const field = path === '' ? at : fieldPath(at, path);
    found.set(`${error.field}: ${error.message}`, { ...error, field: field === '' ? '<nil>' : field });
  }
  return [...found.values()];
}

/** The checks, and thus the errors, have the order of kube-openapi. */
function check(
  value: Json | undefined,
  schema: Schema,
  path: string,
  correlation: Correlation | undefined,
): FieldError[] {
  const errors =
    value === null || value === undefined
      ? [...nullErrors(schema, path), ...enumErrors(value, schema, path)]
      : [
          ...typeErrors(value, schema, path),
          ...junctorErrors(value, schema, path),
          ...(typeof value === 'string' ? stringErrors(value, schema, path) : []),
          ...(typeof value === 'number' ? numberErrors(value, schema, path) : []),
          ...(Array.isArray(value) ? arrayErrors(value, schema, path, correlation) : []),
          ...enumErrors(value, schema, path),
          ...(isObject(value) ? objectErrors(value, schema, path, correlation) : []),
        ];
  return errors.length > 0 && correlation?.isUnchanged === true ? [] : errors;
}

function typesOf(schema: Schema): string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type === undefined ? [] : [schema.type];
}

function typeName(value: Json): string {
  if (Array.isArray(value)) return 'array';
  // A number beyond int64 is a float64 in Go.
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? 'integer' : typeof value;
}

function mismatch(path: string, wanted: string, actual: string): FieldError[] {
  return [
    fieldErrors.typeInvalid(path, actual, `${path} in body must be of type ${wanted}: ${JSON.stringify(actual)}`),
  ];
}

function nullErrors(schema: Schema, path: string): FieldError[] {
  const types = typesOf(schema);
  return types.length > 0 && schema.nullable !== true ? mismatch(path, types.join(','), 'null') : [];
}

function typeErrors(value: Json, schema: Schema, path: string): FieldError[] {
  const types = typesOf(schema);
  const actual = typeName(value);
  const { format = '' } = schema;
  const matches = types.includes(actual) || (actual === 'integer' && types.includes('number'));
  if (typeof value === 'string' && !hasFormat(value, format)) return mismatch(path, format, value);
  if (matches || types.length === 0) return [];
  if (!isEnforced(format) || typeof value === 'string' || Array.isArray(value))
    return mismatch(path, types.join(','), actual);
  return mismatch(path, format, actual);
}

/** An error of anyOf, oneOf, allOf or not, which has no field. */
function composite(text: string): FieldError {
  return fieldErrors.invalid('', '', text);
}

/** The errors of allOf, anyOf, oneOf and not. Only allOf lists the errors of its schemas. */
function junctorErrors(value: Json, { allOf = [], anyOf = [], oneOf = [], not }: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const countValid = (parts: Schema[]) =>
    parts.filter((part) => check(value, part, path, undefined).length === 0).length;
  if (anyOf.length > 0 && countValid(anyOf) === 0)
    errors.push(composite(`${JSON.stringify(path)} must validate at least one schema (anyOf)`));
  if (oneOf.length > 0) {
    const valid = countValid(oneOf);
    const found = valid === 0 ? 'none valid' : `${valid} valid alternatives`;
    if (valid !== 1)
      errors.push(composite(`${JSON.stringify(path)} must validate one and only one schema (oneOf). Found ${found}`));
  }
  const failed = allOf.flatMap((part) => check(value, part, path, undefined));
  if (failed.length > 0) {
    const none = countValid(allOf) === 0 ? '. None validated' : '';
    errors.push(...failed, composite(`${JSON.stringify(path)} must validate all the schemas (allOf)${none}`));
  }
  if (not !== undefined && countValid([not]) === 1)
    errors.push(composite(`${JSON.stringify(path)} must not validate the schema (not)`));
  return errors;
}

function arrayErrors(
  value: Json[],
  { minItems, maxItems, items }: Schema,
  path: string,
  correlation: Correlation | undefined,
): FieldError[] {
  const errors =
    items === undefined
      ? []
      : value.flatMap((item, index) => check(item, items, `${path}[${index}]`, correlation?.index(index)));
  if (minItems !== undefined && value.length < minItems)
    errors.push(fieldErrors.invalid(path, value.length, `${path} in body should have at least ${minItems} items`));
  if (maxItems !== undefined && value.length > maxItems) errors.push(fieldErrors.tooMany(path, value.length, maxItems));
  return errors;
}

function objectErrors(
  value: JsonObject,
  schema: Schema,
  path: string,
  correlation: Correlation | undefined,
): FieldError[] {
  const { properties = {}, additionalProperties, required = [] } = schema;
  const keys = Object.keys(value);
  const errors = sizeErrors(keys.length, schema, path);
  for (const key of keys) {
    if (Object.hasOwn(properties, key)) continue;
    if (additionalProperties === false)
      errors.push(fieldErrors.invalid(path, key, `${path}.${key} in body is a forbidden property`));
    else if (typeof additionalProperties === 'object')
      errors.push(...check(value[key], additionalProperties, `${path}.${key}`, correlation?.key(key)));
  }
  for (const key of keys) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) continue;
    const isTypeMeta = path === '' && (key === 'apiVersion' || key === 'kind');
    errors.push(...check(value[key], property, fieldPath(path, key), isTypeMeta ? undefined : correlation?.key(key)));
  }
  for (const key of required) if (value[key] === undefined) errors.push(fieldErrors.required(`${path}.${key}`));
  return errors;
}

function sizeErrors(size: number, { minProperties = 0, maxProperties = Infinity }: Schema, path: string): FieldError[] {
  if (size > maxProperties) return [fieldErrors.tooMany(path, size, maxProperties)];
  if (size >= minProperties) return [];
  return [fieldErrors.invalid(path, size, `${path} in body should have at least ${minProperties} properties`)];
}
