import { arrayOr, at, equal, objectOr, textOr, type JsonObject, isObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';

/**
 * Checks the names of a definition. Names are accepted if no other definition of the group uses them. A definition is
 * established once all its names are accepted. In a later conflict it keeps its accepted names.
 *
 * @param now RFC 3339
 * @returns the new status
 */
export function acceptNames(definition: ApiObject, all: readonly ApiObject[], now: string): JsonObject {
  const status = objectOr(definition['status']);
  const requested = objectOr(at(definition, 'spec', 'names'));
  const accepted = objectOr(status['acceptedNames']);
  const group = at(definition, 'spec', 'group');
  const inGroup = all.filter((other) => at(other, 'spec', 'group') === group).map((other) => namesOf(other));
  const used = {
    resources: new Set(inGroup.flatMap(({ resources }) => resources)),
    kinds: new Set(inGroup.flatMap(({ kinds }) => kinds)),
  };
  const names: JsonObject = { ...accepted };
  let conflict: Pick<Condition, 'reason' | 'message'> | undefined;
  const isFree = (name: string, had: string, taken: Set<string>) => name === had || !taken.has(name);
  const claim = (key: string, reason: string, taken: Set<string>): void => {
    const name = textOr(requested[key]);
    if (isFree(name, textOr(accepted[key]), taken)) names[key] = name;
    else conflict = { reason, message: `${JSON.stringify(name)} is already in use` };
  };
  claim('plural', 'PluralConflict', used.resources);
  claim('singular', 'SingularConflict', used.resources);
  const own = arrayOr(accepted['shortNames']).map(textOr);
  const clashes = arrayOr(requested['shortNames'])
    .map(textOr)
    .filter((name) => !own.includes(name) && used.resources.has(name))
    .map((name) => `${JSON.stringify(name)} is already in use`);
  if (clashes.length > 0) {
    const message = clashes.length === 1 ? clashes.join('') : `[${clashes.join(', ')}]`;
    conflict = { reason: 'ShortNamesConflict', message };
  } else {
    set(names, 'shortNames', requested['shortNames']);
  }
  claim('kind', 'KindConflict', used.kinds);
  claim('listKind', 'ListKindConflict', used.kinds);
  set(names, 'categories', requested['categories']);
  return withNames(definition, status, names, conflict, now);
}

function withNames(
  definition: ApiObject,
  status: JsonObject,
  names: JsonObject,
  conflict: Pick<Condition, 'reason' | 'message'> | undefined,
  now: string,
): JsonObject {
  const accepted: Condition =
    conflict === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...conflict };
  const next = withCondition({ ...status, acceptedNames: names }, now, accepted);
  if (equal(next, status) || isConditionTrue(definition, 'Established')) return next;
  return withCondition(next, now, {
    type: 'Established',
    status: 'False',
    ...(conflict === undefined
      ? { reason: 'Installing', message: 'the initial names have been accepted' }
      : { reason: 'NotAccepted', message: 'not all names are accepted' }),
  });
}

function namesOf(definition: ApiObject): { resources: string[]; kinds: string[] } {
  const { plural, singular, kind, listKind, shortNames } = objectOr(at(definition, 'status', 'acceptedNames'));
  return {
    resources: [plural, singular, ...arrayOr(shortNames)].map(textOr),
    kinds: [kind, listKind].map(textOr),
  };
}

function set(names: JsonObject, key: string, value: JsonObject[string]): void {
  if (value === undefined) Reflect.deleteProperty(names, key);
  else names[key] = value;
}

export interface Condition {
  type: 'NamesAccepted' | 'Established' | 'Terminating';
  status: 'True' | 'False';
  reason: string;
  message: string;
}

/**
 * Sets a condition in the status of a CustomResourceDefinition.
 *
 * @param now RFC 3339; the transition time if the status of the condition changes
 */
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
