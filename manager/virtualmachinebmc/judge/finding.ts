import type { Facts } from '../facts.ts';

/** What a condition says. */
export interface Finding {
  status: 'True' | 'False' | 'Unknown';
  /** CamelCase, stable. */
  reason: string;
  /** A sentence; where something is not as it should be, it says what to do. */
  message: string;
}

/** Looks at the facts for one thing that can be said of them; undefined: there is nothing of the kind to say. */
export type Check = (facts: Facts) => Finding | undefined;

/** What the first check with something to say says. */
export function firstOf(checks: readonly Check[], facts: Facts, otherwise: Finding): Finding {
  for (const check of checks) {
    const finding = check(facts);
    if (finding !== undefined) return finding;
  }
  return otherwise;
}
