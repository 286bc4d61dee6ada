import type { JsonObject } from '../json.ts';
import {
  Correlation,
  duplicateItems,
  embeddedErrors,
  fieldErrors,
  ruleErrors,
  validate,
  type Schema,
} from '../schema/index.ts';
import type { FieldError } from '../status.ts';

const UNCHECKED = fieldErrors.invalid(
  '',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);
/** After these errors CEL rules are not evaluated: values are not as the schema says. */
const BLOCKING: ReadonlySet<FieldError['reason']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
] as const);

/**
 * Validates custom resources by the schema of their version, in the order of kube-apiserver's checks. `previous`: before an
 * update; errors of unchanged parts are dropped.
 */
export function customValidation(
  schema: Schema,
): (object: JsonObject, previous: JsonObject | undefined, subresource: string | undefined) => FieldError[] {
  const hasRules = JSON.stringify(schema).includes('"x-kubernetes-validations"');
  return (object, previous, subresource) => {
    const isStatus = subresource === 'status';
    const correlation = previous === undefined ? undefined : new Correlation(object, previous, schema);
    const errors = isStatus
      ? statusErrors(object, schema, correlation)
      : [...validate(object, schema, { correlation }), ...embeddedErrors(object, schema)];
    if (previous === undefined || duplicateItems(previous, schema).length === 0)
      errors.push(...duplicateItems(object, schema));
    if (!hasRules) return errors;
    if (errors.some(({ reason }) => BLOCKING.has(reason))) return [...errors, UNCHECKED];
    return [...errors, ...ruleErrors(object, previous, schema, correlation)];
  };
}

/** A write of the status is validated by the status's schema alone. */
function statusErrors(object: JsonObject, schema: Schema, correlation: Correlation | undefined): FieldError[] {
  const status = schema.properties?.['status'];
  if (status === undefined || object['status'] === undefined) return [];
  return validate(object['status'], status, { at: 'status', correlation: correlation?.key('status') });
}
