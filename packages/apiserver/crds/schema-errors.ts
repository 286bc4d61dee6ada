import { arrayOr, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import { CelError, compilePattern, compileRule, fieldErrors, type ValidationRule } from '../schema/index.ts';
import type { FieldError } from '../status.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const UNSUPPORTED = ['$ref', 'additionalItems', 'definitions', 'dependencies', 'patternProperties'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'enum', 'required', 'x-kubernetes-list-map-keys', 'x-kubernetes-validations'];

/**
 * The errors of a custom resource schema that this server cannot use.
 *
 * @param path the field path of the schema in the CustomResourceDefinition
 */
export function schemaErrors(schema: Json | undefined, path: string): FieldError[] {
  if (!isObject(schema)) return [fieldErrors.required(path)];
  if (schema['type'] !== 'object') {
    const detail = 'must be object at the root';
    return [fieldErrors.invalid(`${path}.type`, textOr(schema['type']), detail)];
  }
  return nodeErrors(schema, path);
}

function nodeErrors(schema: Json | undefined, path: string): FieldError[] {
  if (!isObject(schema)) return [fieldErrors.invalid(path, schema, 'must be a schema')];
  return [
    ...UNSUPPORTED.filter((key) => schema[key] !== undefined).map((key) =>
      fieldErrors.forbidden(`${path}.${key}`, `${key} is not supported`),
    ),
    ...LISTS.filter((key) => schema[key] !== undefined && !Array.isArray(schema[key])).map((key) =>
      fieldErrors.invalid(`${path}.${key}`, schema[key], 'must be a list'),
    ),
    ...typeErrors(schema, path),
    ...patternErrors(schema['pattern'], `${path}.pattern`),
    ...arrayOr(schema['x-kubernetes-validations']).flatMap((rule, index) =>
      ruleErrors(rule, `${path}.x-kubernetes-validations[${index}]`),
    ),
    ...childErrors(schema, path),
  ];
}

function childErrors(schema: JsonObject, path: string): FieldError[] {
  const { properties, additionalProperties, items, not } = schema;
  const isSchema = additionalProperties !== undefined && typeof additionalProperties !== 'boolean';
  const errors = [
    ...(items === undefined ? [] : nodeErrors(items, `${path}.items`)),
    ...(not === undefined ? [] : nodeErrors(not, `${path}.not`)),
    ...(isSchema ? nodeErrors(additionalProperties, `${path}.additionalProperties`) : []),
    ...Object.entries(objectOr(properties)).flatMap(([key, part]) => nodeErrors(part, `${path}.properties[${key}]`)),
    ...['allOf', 'anyOf', 'oneOf'].flatMap((key) =>
      arrayOr(schema[key]).flatMap((part, index) => nodeErrors(part, `${path}.${key}[${index}]`)),
    ),
  ];
  if (properties !== undefined && !isObject(properties))
    errors.push(fieldErrors.invalid(`${path}.properties`, properties, 'must be an object'));
  return errors;
}

function typeErrors({ type }: JsonObject, path: string): FieldError[] {
  if (type === undefined || type === '' || (typeof type === 'string' && TYPES.includes(type))) return [];
  return [fieldErrors.notSupported(`${path}.type`, type, TYPES)];
}

function patternErrors(pattern: Json | undefined, field: string): FieldError[] {
  if (pattern === undefined || pattern === '') return [];
  try {
    compilePattern(textOr(pattern));
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [fieldErrors.invalid(field, pattern, `must be a valid regular expression, but isn't: ${reason}`)];
  }
}

function ruleErrors(rule: Json, path: string): FieldError[] {
  if (!isObject(rule) || textOr(rule['rule']).trim() === '') return [fieldErrors.required(`${path}.rule`)];
  if (rule['optionalOldSelf'] === true)
    return [fieldErrors.forbidden(`${path}.optionalOldSelf`, 'optionalOldSelf is not supported')];
  try {
    // The schema of CustomResourceDefinition has validated the fields of the rule.
    compileRule(rule as unknown as ValidationRule);
    return [];
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return [fieldErrors.invalid(path, textOr(rule['rule']), `compilation failed: ${error.message}`)];
  }
}
