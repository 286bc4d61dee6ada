import { canonicalMac } from '../../../api/index.ts';

/** A field error, in the form that kube-apiserver uses. */
export interface FieldError {
  /** `spec.ipv4Config.pool.start` */
  field: string;
  type: 'Invalid' | 'Duplicate' | 'Forbidden' | 'Required';
  value?: unknown;
  /** What is wrong. */
  detail: string;
}

/** The result of one rule. */
export interface Verdict {
  errors?: readonly FieldError[];
  /** Warnings that kubectl shows; they do not reject the request. */
  warnings?: readonly string[];
}

/** Evaluates an object, and its previous version on update, from its inputs alone. */
export type Rule<T, F> = (object: T, oldObject: T | undefined, inputs: F) => Verdict;

/** Formats an error as kube-apiserver does: `spec.x: Invalid value: "y": must be z`. */
export function messageOf({ field, type, value, detail }: FieldError): string {
  switch (type) {
    case 'Invalid':
      return `${field}: Invalid value: ${JSON.stringify(value)}: ${detail}`;
    case 'Duplicate':
      return `${field}: Duplicate value: ${JSON.stringify(value)}: ${detail}`;
    case 'Forbidden':
      return `${field}: Forbidden: ${detail}`;
    case 'Required':
      return `${field}: Required value: ${detail}`;
  }
}

export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { field, type: 'Invalid', value, detail };
}

/** Combines the results of several rules. */
export function evaluate<T, F>(
  rules: readonly Rule<T, F>[],
  object: T,
  oldObject: T | undefined,
  inputs: F,
): Required<Verdict> {
  const verdicts = rules.map((rule) => rule(object, oldObject, inputs));
  return {
    errors: verdicts.flatMap(({ errors = [] }) => errors),
    warnings: verdicts.flatMap(({ warnings = [] }) => warnings),
  };
}

/** Name of a net-attach-def, with or without its namespace. */
const NAME = /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\/)?[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** The errors in the name of a network. */
export function networkNameErrors(field: string, name: string): FieldError[] {
  return NAME.test(name) ? [] : [invalid(field, name, 'is neither the name of a net-attach-def nor namespace/name')];
}

/** Why no network card can have the MAC address; undefined if one can. */
export function macProblem(text: string): string | undefined {
  const mac = canonicalMac(text);
  if (mac === undefined) return 'is not a MAC address, such as 52:54:00:12:34:56';
  if (mac === '00:00:00:00:00:00') return 'is not the address of a network card';
  // IEEE 802: the lowest bit of the first octet marks a group address.
  return Number.parseInt(mac.slice(0, 2), 16) % 2 === 1 ? 'is a multicast address, which no card has' : undefined;
}
