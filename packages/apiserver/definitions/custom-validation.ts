import { isObject, type Json, type JsonObject } from '../json.ts';
import type { ScalePaths } from '../resources/index.ts';
import {
  Correlation,
  duplicateItems,
  embeddedErrors,
  fieldErrors,
  validate,
  type CelRules,
  type Schema,
} from '../schema/index.ts';
import type { FieldError } from '../status.ts';

const UNCHECKED = fieldErrors.invalid(
  '',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);
/** Errors after which CEL rules might trip over what they find. */
const BLOCKING: ReadonlySet<FieldError['reason']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
] as const);
const MAX_INT32 = 2 ** 31 - 1;

interface Options {
  /** As the CRD has it. */
  schema: Schema;
  scale: ScalePaths | undefined;
  /** Undefined where the schema has none. */
  rules: CelRules | undefined;
}

/** Holds custom resources to their schema, in the order of kube-apiserver's checks. */
export class CustomValidation {
  readonly #schema: Schema;
  readonly #scale: ScalePaths | undefined;
  readonly #rules: CelRules | undefined;

  constructor({ schema, scale, rules }: Options) {
    this.#schema = schema;
    this.#scale = scale;
    this.#rules = rules;
  }

  /** `previous`: before an update, whose unchanged parts are not held against it. */
  validate(object: JsonObject, previous: JsonObject | undefined, subresource: string | undefined): FieldError[] {
    const correlation = previous === undefined ? undefined : new Correlation(object, previous, this.#schema);
    const errors =
      subresource === 'status'
        ? this.#statusErrors(object, correlation)
        : [...validate(object, this.#schema, { correlation }), ...this.#specReplicas(object)];
    errors.push(...this.#statusReplicas(object));
    if (subresource !== 'status') errors.push(...embeddedErrors(object, this.#schema));
    if (previous === undefined || duplicateItems(previous, this.#schema).length === 0)
      errors.push(...duplicateItems(object, this.#schema));
    if (this.#rules === undefined) return errors;
    if (errors.some(({ reason }) => BLOCKING.has(reason))) return [...errors, UNCHECKED];
    return [...errors, ...this.#rules.check(object, previous, this.#schema, correlation)];
  }

  /** A write of the status is held to the status's schema alone. */
  #statusErrors(object: JsonObject, correlation: Correlation | undefined): FieldError[] {
    const schema = this.#schema.properties?.['status'];
    if (schema === undefined || object['status'] === undefined) return [];
    return validate(object['status'], schema, { at: 'status', correlation: correlation?.key('status') });
  }

  #specReplicas(object: JsonObject): FieldError[] {
    return this.#scale === undefined ? [] : replicasErrors(object, this.#scale.specReplicasPath);
  }

  #statusReplicas(object: JsonObject): FieldError[] {
    if (this.#scale === undefined) return [];
    const { statusReplicasPath, labelSelectorPath } = this.#scale;
    const errors = replicasErrors(object, statusReplicasPath);
    if (labelSelectorPath === undefined) return errors;
    const found = find(object, labelSelectorPath);
    if ('problem' in found) errors.push(fieldErrors.invalid(labelSelectorPath, '', found.problem));
    else if (found.value !== undefined && typeof found.value !== 'string')
      errors.push(fieldErrors.invalid(labelSelectorPath, '', accessor(labelSelectorPath, found.value, 'string')));
    return errors;
  }
}

function replicasErrors(object: JsonObject, path: string): FieldError[] {
  const found = find(object, path);
  if ('problem' in found) return [fieldErrors.invalid(path, 0, found.problem)];
  const { value } = found;
  if (value === undefined) return [];
  if (typeof value !== 'number' || !Number.isInteger(value))
    return [fieldErrors.invalid(path, 0, accessor(path, value, 'int64'))];
  if (value < 0) return [fieldErrors.invalid(path, value, 'should be a non-negative integer')];
  if (value > MAX_INT32) return [fieldErrors.invalid(path, value, `should be less than or equal to ${MAX_INT32}`)];
  return [];
}

/** What apimachinery's unstructured.NestedFieldNoCopy finds. */
function find(object: JsonObject, path: string): { value: Json | undefined } | { problem: string } {
  const keys = path.replace(/^\./, '').split('.');
  let here: Json | undefined = object;
  for (const [index, key] of keys.entries()) {
    if (here === undefined || here === null) return { value: undefined };
    if (!isObject(here)) {
      const parent = keys.slice(0, index + 1).join('.');
      return {
        problem: `.${parent} accessor error: ${described(here)} is of the type ${goType(here)}, expected map[string]interface{}`,
      };
    }
    here = here[key];
  }
  return { value: here };
}

function accessor(path: string, value: Json, wanted: string): string {
  const shown = path.startsWith('.') ? path : `.${path}`;
  return `${shown} accessor error: ${described(value)} is of the type ${goType(value)}, expected ${wanted}`;
}

function described(value: Json): string {
  return value === null ? '<nil>' : typeof value === 'string' ? value : JSON.stringify(value);
}

function goType(value: Json): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'object':
      return 'map[string]interface {}';
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    default:
      return typeof value;
  }
}
