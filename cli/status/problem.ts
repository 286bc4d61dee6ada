import type { Condition } from '../../api/index.ts';

/** A condition that reports a problem. */
export interface Problem {
  condition: string;
  reason: string;
  message: string;
}

/** How to read the conditions of a kind other than `Ready` and those that are normally True. */
export interface Meaning {
  /** Types that report a problem when they are True. */
  bad?: readonly string[];
  /** Types that are never a problem because the user has set them. */
  wanted?: readonly string[];
}

/**
 * The problems of an object according to its conditions. An object without conditions has not been seen by a manager.
 */
export function problemsOf(conditions: readonly Condition[] | undefined, meaning: Meaning = {}): Problem[] {
  if (conditions === undefined || conditions.length === 0) {
    const message =
      'No manager has looked at it. Is one running? kubectl get pods -A -l app.kubernetes.io/name=groundcrew';
    return [{ condition: 'Ready', reason: 'NotReconciled', message }];
  }
  const { bad = [], wanted = [] } = meaning;
  const ill = conditions.filter(
    ({ type, status }) => !wanted.includes(type) && status !== (bad.includes(type) ? 'False' : 'True'),
  );
  // Ready is a summary; it is listed only if no other condition reports a problem.
  const causes = ill.filter(({ type }) => type !== 'Ready');
  const told = new Set<string>();
  return (causes.length > 0 ? causes : ill).flatMap(({ type, reason, message }) => {
    if (told.has(`${reason} ${message}`)) return [];
    told.add(`${reason} ${message}`);
    return [{ condition: type, reason, message }];
  });
}
