import { messageOf, type FieldError } from '../rules/index.ts';
import type { AdmissionAnswer } from '../server/index.ts';

/** The object of a rejected request. */
export interface Subject {
  group: string;
  kind: string;
  /** `ippools` */
  resource: string;
  name: string;
}

/** The Status of an invalid object, in the form that kube-apiserver uses. */
export function refusalOf({ group, kind, name }: Subject, errors: readonly FieldError[]): AdmissionAnswer['refusal'] {
  const messages = errors.map(messageOf);
  const all = messages.length === 1 ? messages.join('') : `[${messages.join(', ')}]`;
  return {
    code: 422,
    reason: 'Invalid',
    message: `${kind}.${group} ${JSON.stringify(name)} is invalid: ${all}`,
    details: {
      name,
      group,
      kind,
      causes: errors.map(({ field, type, ...error }) => ({
        reason: `FieldValue${type}`,
        // The field is in a separate member.
        message: messageOf({ field, type, ...error }).slice(field.length + 2),
        field,
      })),
    },
  };
}

/** The Status of a forbidden operation. */
export function forbiddance({ group, kind, resource, name }: Subject, why: string): AdmissionAnswer['refusal'] {
  return {
    code: 403,
    reason: 'Forbidden',
    message: `${resource}.${group} ${JSON.stringify(name)} is forbidden: ${why}`,
    details: { name, group, kind },
  };
}
