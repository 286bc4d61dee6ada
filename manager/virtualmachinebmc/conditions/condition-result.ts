import type { Inputs } from '../inputs.ts';

/** What a condition says. */
export interface ConditionResult {
  status: 'True' | 'False' | 'Unknown';
  /** CamelCase, stable. */
  reason: string;
  /** A sentence; where something is not as it should be, it says what to do. */
  message: string;
}

/** Looks at the inputs for one thing that can be said of them; undefined: there is nothing of the kind to say. */
export type Check = (inputs: Inputs) => ConditionResult | undefined;

/** What the first check with something to say says. */
export function firstOf(checks: readonly Check[], inputs: Inputs, otherwise: ConditionResult): ConditionResult {
  for (const check of checks) {
    const result = check(inputs);
    if (result !== undefined) return result;
  }
  return otherwise;
}
