import { messageOf, type FieldError } from '../rules/index.ts';
import type { AdmissionAnswer } from '../server/index.ts';

/** Of what is refused. */
export interface Subject {
  group: string;
  kind: string;
  /** `ippools` */
  resource: string;
  name: string;
}

/** The Status of an object that is not as it must be, as kube-apiserver words it. */
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
        // The field stands beside it.
        message: messageOf({ field, type, ...error }).slice(field.length + 2),
        field,
      })),
    },
  };
}

/** The Status of what may not be done now. */
export function forbiddance({ group, kind, resource, name }: Subject, why: string): AdmissionAnswer['refusal'] {
  return {
    code: 403,
    reason: 'Forbidden',
    message: `${resource}.${group} ${JSON.stringify(name)} is forbidden: ${why}`,
    details: { name, group, kind },
  };
}
