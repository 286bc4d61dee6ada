import { timestamp } from '@groundcrew/controller-runtime';
import type { KubeVirtCondition } from './objects.ts';

/** The list with one condition set: it keeps its place, and its transition time while its status stays the same. */
export function withCondition(
  conditions: readonly KubeVirtCondition[],
  next: Pick<KubeVirtCondition, 'type' | 'status' | 'reason' | 'message'>,
  now: number,
): KubeVirtCondition[] {
  const at = conditions.findIndex((condition) => condition.type === next.type);
  const old = conditions[at];
  if (old?.status === next.status && old.reason === next.reason && old.message === next.message) return [...conditions];
  const time = timestamp(now);
  const condition: KubeVirtCondition = {
    ...next,
    lastProbeTime: time,
    lastTransitionTime: old?.status === next.status ? (old.lastTransitionTime ?? time) : time,
  };
  return at === -1 ? [...conditions, condition] : conditions.with(at, condition);
}

export function withoutCondition(conditions: readonly KubeVirtCondition[], type: string): KubeVirtCondition[] {
  return conditions.filter((condition) => condition.type !== type);
}

export function conditionOf(
  conditions: readonly KubeVirtCondition[] | undefined,
  type: string,
): KubeVirtCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isTrue(conditions: readonly KubeVirtCondition[] | undefined, type: string): boolean {
  return conditionOf(conditions, type)?.status === 'True';
}
