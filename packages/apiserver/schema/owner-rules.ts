import { isObject, textOr, type Json } from '../json.ts';
import type { FieldError } from '../status.ts';
import { fieldErrors } from './field-errors.ts';

const NO_OWNERS = ['v1/Event', 'events.k8s.io/v1/Event'];

/** What is wrong with owner references; a path names none of them by its index. */
export function ownerErrors(owners: readonly Json[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const owner of owners.filter(isObject)) {
    const apiVersion = textOr(owner['apiVersion']);
    const kind = textOr(owner['kind']);
    const name = textOr(owner['name']);
    const uid = textOr(owner['uid']);
    if (apiVersion === '' || apiVersion.split('/').length > 2)
      errors.push(fieldErrors.invalid(`${path}.apiVersion`, apiVersion, 'version must not be empty'));
    for (const [key, value] of Object.entries({ kind, name, uid }))
      if (value === '') errors.push(fieldErrors.invalid(`${path}.${key}`, value, 'must not be empty'));
    if (NO_OWNERS.includes(`${apiVersion}/${kind}`)) {
      const gvk = `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
      errors.push(asWritten(path, owner, `${gvk} is disallowed from being an owner`));
    }
    if (owner['controller'] !== true) continue;
    const current = `${kind}/${name}`;
    if (controller !== undefined) {
      const message = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${current}`;
      errors.push(asWritten(path, [...owners], message));
    }
    controller ??= current;
  }
  return errors;
}

/** An error that shows a struct: its fields stand as Go writes them, not in alphabetical order. */
function asWritten(field: string, value: Json, detail: string): FieldError {
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${detail}` };
}
