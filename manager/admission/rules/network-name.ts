import { invalid, type FieldError } from './verdict.ts';

/** Name of a net-attach-def, with or without its namespace. */
const NAME = /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\/)?[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** The errors in the name of a network. */
export function networkNameErrors(field: string, name: string): FieldError[] {
  return NAME.test(name) ? [] : [invalid(field, name, 'is neither the name of a net-attach-def nor namespace/name')];
}
