import type { Inputs } from '../inputs.ts';

/** The status, reason and message of a condition. */
export interface ConditionResult {
  status: 'True' | 'False' | 'Unknown';
  /** CamelCase, stable. */
  reason: string;
  /** A sentence; in case of a problem it says what to do. */
  message: string;
}

/** Checks the inputs for one problem; undefined: not found. */
export type Check = (inputs: Inputs) => ConditionResult | undefined;

/** The result of the first check that has one. */
export function firstOf(checks: readonly Check[], inputs: Inputs, otherwise: ConditionResult): ConditionResult {
  for (const check of checks) {
    const result = check(inputs);
    if (result !== undefined) return result;
  }
  return otherwise;
}
