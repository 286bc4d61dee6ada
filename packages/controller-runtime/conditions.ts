import type { Condition } from './objects.ts';
import { timestamp } from './timestamps.ts';

/**
 * The conditions with `next` in the place of the one of its type, or at the end. `lastTransitionTime` moves only when
 * the status does; the order of the others stays.
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
  const lastTransitionTime = current?.status === next.status ? current.lastTransitionTime : timestamp(now);
  const condition = { ...next, lastTransitionTime };
  if (current === undefined) return [...all, condition];
  return all.map((each) => (each === current ? condition : each));
}

/** The condition of a type, or undefined. */
export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}
