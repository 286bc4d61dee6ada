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
