import type { Condition } from './objects.ts';
import { timestamp } from './clock.ts';

/**
 * Replaces the condition of the same type with `next`, or appends it. `lastTransitionTime` changes only with the
 * status; the order is kept.
 *
 * @param now milliseconds since 1970
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  next: Omit<Condition, 'lastTransitionTime'>,
  now: number,
): Condition[] {
  const all = conditions ?? [];
  const current = all.find((condition) => condition.type === next.type);
  // Other controllers write conditions without a time, which the schema of ours refuses.
  const since: string | undefined = current?.status === next.status ? current.lastTransitionTime : undefined;
  const lastTransitionTime = since ?? timestamp(now);
  const condition = { ...next, lastTransitionTime };
  if (current === undefined) return [...all, condition];
  return all.map((each) => (each === current ? condition : each));
}

/** The condition of a type, or undefined. */
export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}
