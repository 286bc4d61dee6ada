import { invalid, type FieldError } from './verdict.ts';

/** A net-attach-def's name, with or without its namespace. */
const NAME = /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\/)?[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** What is wrong with the name of a network, if anything is. */
export function networkNameErrors(field: string, name: string): FieldError[] {
  return NAME.test(name) ? [] : [invalid(field, name, 'is neither the name of a net-attach-def nor namespace/name')];
}
