import { clone, equal, type Json } from '../json.ts';
import { embeddedErrors, fieldErrors, pruneValue, validate, type CelRules, type Schema } from '../schema/index.ts';
import type { FieldError } from '../status.ts';

/** What is wrong with the defaults of a structural schema: each must be a value that the schema accepts as it stands. */
export function defaultErrors(schema: Schema, path: string, rules: CelRules): FieldError[] {
  const errors: FieldError[] = [];
  // The root of a custom resource is one as embedded resources are.
  visit({ ...schema, 'x-kubernetes-embedded-resource': true }, path, rules, errors);
  return errors;
}

function visit(schema: Schema, path: string, rules: CelRules, errors: FieldError[]): void {
  if (schema.default !== undefined) errors.push(...judge(schema.default, schema, `${path}.default`, rules));
  if (schema.items !== undefined) visit(schema.items, `${path}.items`, rules, errors);
  for (const [key, property] of Object.entries(schema.properties ?? {}))
    visit(property, `${path}.properties[${key}]`, rules, errors);
}

function judge(value: Json, schema: Schema, path: string, rules: CelRules): FieldError[] {
  const pruned = clone(value);
  pruneValue(pruned, schema);
  const unknown = equal(pruned, value) ? [] : [fieldErrors.invalid(path, value, 'must not have unknown fields')];
  const embedded = embeddedErrors(value, schema, path);
  if (embedded.length > 0) return [...unknown, ...embedded];
  const invalid = validate(value, schema, { at: path });
  if (invalid.length > 0) return [...unknown, ...invalid];
  // As an update that changes nothing, and as a create, for rules about `oldSelf`.
  const broken = rules.check(value, value, schema, undefined, path);
  return [...unknown, ...(broken.length > 0 ? broken : rules.check(value, undefined, schema, undefined, path))];
}
