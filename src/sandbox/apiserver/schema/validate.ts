import { isObject, type Json, type JsonObject } from '../json.ts';
import type { FieldError } from '../status.ts';
import { hasFormat } from './formats.ts';
import { fieldPath, propertyOf, type Schema } from './schema.ts';

/** Everything that is wrong with a value by its structural schema, in kube-apiserver's words. CEL rules are apart. */
export function validate(value: Json | undefined, schema: Schema, path = ''): FieldError[] {
  const errors: FieldError[] = [];
  checkValue(value, schema, path, errors);
  return errors;
}

function invalid(field: string, value: Json | undefined, message: string): FieldError {
  return {
    field,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(value)}: ${field} in body ${message}`,
  };
}

function checkValue(value: Json | undefined, schema: Schema, path: string, errors: FieldError[]): void {
  if (value === null && schema.nullable === true) return;
  const mismatch = typeMismatch(value, schema, path);
  if (mismatch !== undefined) {
    errors.push(mismatch);
    return;
  }
  if (schema.enum !== undefined && !schema.enum.includes(value ?? null)) {
    const supported = schema.enum.map((item) => JSON.stringify(item)).join(', ');
    errors.push({
      field: path,
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}`,
    });
  }
  if (typeof value === 'string') checkString(value, schema, path, errors);
  else if (typeof value === 'number') checkNumber(value, schema, path, errors);
  else if (Array.isArray(value)) checkArray(value, schema, path, errors);
  else if (isObject(value)) checkObject(value, schema, path, errors);
  checkJunctors(value, schema, path, errors);
}

function typeMismatch(value: Json | undefined, schema: Schema, field: string): FieldError | undefined {
  const actual = typeName(value);
  const wanted =
    schema['x-kubernetes-int-or-string'] === true
      ? ['integer', 'string']
      : schema.type === undefined
        ? []
        : [schema.type];
  if (wanted.length === 0 || wanted.includes(actual) || (actual === 'integer' && schema.type === 'number')) {
    return typeof value === 'string' && !hasFormat(value, schema.format)
      ? typeInvalid(field, value, schema.format ?? '')
      : undefined;
  }
  return typeInvalid(field, actual, wanted.join(','));
}

function typeInvalid(field: string, shown: string, wanted: string): FieldError {
  const text = JSON.stringify(shown);
  return {
    field,
    reason: 'FieldValueTypeInvalid',
    message: `Invalid value: ${text}: ${field} in body must be of type ${wanted}: ${text}`,
  };
}

function typeName(value: Json | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

function checkString(value: string, schema: Schema, path: string, errors: FieldError[]): void {
  const { minLength, maxLength, pattern } = schema;
  const length = minLength === undefined && maxLength === undefined ? 0 : codePoints(value);
  if (maxLength !== undefined && length > maxLength) {
    errors.push({
      field: path,
      reason: 'FieldValueTooLong',
      message: `Too long: may not be more than ${maxLength} bytes`,
    });
  }
  if (minLength !== undefined && length < minLength)
    errors.push(invalid(path, value, `should be at least ${minLength} chars long`));
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value))
    errors.push(invalid(path, value, `should match '${pattern}'`));
}

/** Characters as Go counts them. */
function codePoints(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

function checkNumber(value: number, schema: Schema, path: string, errors: FieldError[]): void {
  const { minimum, maximum, multipleOf } = schema;
  const below = minimum !== undefined && (schema.exclusiveMinimum === true ? value <= minimum : value < minimum);
  const above = maximum !== undefined && (schema.exclusiveMaximum === true ? value >= maximum : value > maximum);
  if (below)
    errors.push(
      invalid(
        path,
        value,
        `should be greater than ${schema.exclusiveMinimum === true ? '' : 'or equal to '}${minimum}`,
      ),
    );
  if (above)
    errors.push(
      invalid(path, value, `should be less than ${schema.exclusiveMaximum === true ? '' : 'or equal to '}${maximum}`),
    );
  if (multipleOf !== undefined && !Number.isInteger(Math.round((value / multipleOf) * 1e9) / 1e9)) {
    errors.push(invalid(path, value, `should be a multiple of ${multipleOf}`));
  }
}

function checkArray(value: Json[], schema: Schema, path: string, errors: FieldError[]): void {
  const { minItems, maxItems, items } = schema;
  if (maxItems !== undefined && value.length > maxItems) errors.push(tooMany(path, value.length, maxItems));
  if (minItems !== undefined && value.length < minItems) {
    errors.push({ ...invalid(path, value.length, `should have at least ${minItems} items`) });
  }
  if (items !== undefined)
    value.forEach((item, index) => {
      checkValue(item, items, `${path}[${index}]`, errors);
    });
  const seen = new Set<string>();
  value.forEach((item, index) => {
    const identity = identityOf(item, schema);
    if (identity === undefined) return;
    if (seen.has(identity)) {
      errors.push({
        field: `${path}[${index}]`,
        reason: 'FieldValueDuplicate',
        message: `Duplicate value: ${identity}`,
      });
    }
    seen.add(identity);
  });
}

/** What may occur once in the list: the item of a set, the keys of a map's item. */
function identityOf(item: Json, schema: Schema): string | undefined {
  if (schema['x-kubernetes-list-type'] === 'set') return JSON.stringify(item);
  if (schema['x-kubernetes-list-type'] !== 'map' || !isObject(item)) return undefined;
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []).filter((key) => item[key] !== undefined).sort();
  return JSON.stringify(Object.fromEntries(keys.map((key) => [key, item[key]])));
}

function tooMany(field: string, count: number, limit: number): FieldError {
  return { field, reason: 'FieldValueTooMany', message: `Too many: ${count}: must have at most ${limit} items` };
}

function checkObject(value: JsonObject, schema: Schema, path: string, errors: FieldError[]): void {
  const { minProperties, maxProperties } = schema;
  const count = Object.keys(value).length;
  if (maxProperties !== undefined && count > maxProperties) errors.push(tooMany(path, count, maxProperties));
  if (minProperties !== undefined && count < minProperties)
    errors.push(invalid(path, count, `should have at least ${minProperties} properties`));
  for (const key of schema.required ?? []) {
    if (value[key] === undefined)
      errors.push({ field: fieldPath(path, key), reason: 'FieldValueRequired', message: 'Required value' });
  }
  for (const key of Object.keys(value)) {
    const property = propertyOf(schema, key);
    if (property !== undefined) checkValue(value[key], property, fieldPath(path, key), errors);
  }
}

/** allOf, anyOf, oneOf, not: errors of theirs carry no field, as those of the real server. */
function checkJunctors(value: Json | undefined, schema: Schema, path: string, errors: FieldError[]): void {
  const fails = (message: string) =>
    errors.push({ field: '<nil>', reason: 'FieldValueInvalid', message: `Invalid value: "": "${path}" ${message}` });
  for (const part of schema.allOf ?? []) checkValue(value, part, path, errors);
  if (schema.anyOf !== undefined) {
    const results = schema.anyOf.map((part) => validate(value, part, path));
    if (results.every((result) => result.length > 0)) {
      fails('must validate at least one schema (anyOf)');
      errors.push(...(results[0] ?? []));
    }
  }
  if (schema.oneOf !== undefined) {
    const results = schema.oneOf.map((part) => validate(value, part, path));
    const valid = results.filter((result) => result.length === 0).length;
    if (valid !== 1) {
      fails(
        `must validate one and only one schema (oneOf). Found ${valid === 0 ? 'none valid' : `${valid} valid alternatives`}`,
      );
      if (valid === 0) errors.push(...(results[0] ?? []));
    }
  }
  if (schema.not !== undefined && validate(value, schema.not, path).length === 0)
    fails('must not validate the schema (not)');
}
