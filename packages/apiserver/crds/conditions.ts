import { arrayOr, at, isObject, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';

export interface Condition {
  type: 'NamesAccepted' | 'Established' | 'Terminating';
  status: 'True' | 'False';
  reason: string;
  message: string;
}

/** A CustomResourceDefinition's status with a condition set. `now`: RFC 3339, the transition time of a new state. */
export function withCondition(status: JsonObject, now: string, condition: Condition): JsonObject {
  const conditions = arrayOr(status['conditions']).filter(isObject);
  const index = conditions.findIndex(({ type }) => type === condition.type);
  const old = conditions[index];
  const lastTransitionTime = old?.['status'] === condition.status ? (old['lastTransitionTime'] ?? now) : now;
  const { type, status: state, reason, message } = condition;
  const next: JsonObject = { type, status: state, lastTransitionTime, reason, message };
  return { ...status, conditions: old === undefined ? [...conditions, next] : conditions.with(index, next) };
}

export function isConditionTrue(definition: ApiObject, type: Condition['type']): boolean {
  return arrayOr(at(definition, 'status', 'conditions')).some(
    (condition) => at(condition, 'type') === type && at(condition, 'status') === 'True',
  );
}
