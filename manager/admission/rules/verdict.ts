/** A field that cannot stay as it is, in the words of kube-apiserver's field errors. */
export interface FieldError {
  /** `spec.ipv4Config.pool.start` */
  field: string;
  type: 'Invalid' | 'Duplicate' | 'Forbidden' | 'Required';
  value?: unknown;
  /** What is wrong, and with what. */
  detail: string;
}

/** What one rule says. */
export interface Verdict {
  errors?: readonly FieldError[];
  /** Sentences that kubectl shows, and that refuse nothing. */
  warnings?: readonly string[];
}

/** Evaluates an object, and what it was before an update, from inputs alone. */
export type Rule<T, F> = (object: T, oldObject: T | undefined, inputs: F) => Verdict;

/** As kube-apiserver writes it: `spec.x: Invalid value: "y": must be z`. */
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

/** All that several rules say of an object. */
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
