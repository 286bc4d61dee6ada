import { setCondition } from '@groundcrew/controller-runtime';
import type { Condition } from '../api/index.ts';

/** The status, reason and message of a condition. */
export interface ConditionResult {
  status: 'True' | 'False' | 'Unknown';
  /** CamelCase, stable. */
  reason: string;
  /** A sentence; in case of a problem it says what to do. */
  message: string;
}

export function holds(reason: string, message: string): ConditionResult {
  return { status: 'True', reason, message };
}

export function holdsNot(reason: string, message: string): ConditionResult {
  return { status: 'False', reason, message };
}

/**
 * The conditions with these results by type, and without the conditions of other writers.
 *
 * @param before the conditions in the last status
 * @param now milliseconds since 1970
 */
export function conditionsOf(
  results: Readonly<Record<string, ConditionResult>>,
  before: readonly Condition[] | undefined,
  observedGeneration: number,
  now: number,
): Condition[] {
  const own = before?.filter(({ type }) => type in results) ?? [];
  return Object.entries(results).reduce<Condition[]>(
    (conditions, [type, result]) => setCondition(conditions, { type, ...result, observedGeneration }, now),
    own,
  );
}
