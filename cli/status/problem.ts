import type { Condition } from '../../api/index.ts';

/** A condition that is not as it should be. */
export interface Problem {
  condition: string;
  reason: string;
  message: string;
}

/** What conditions of a kind say apart from `Ready` and those that hold when all is well. */
export interface Meaning {
  /** Types that tell of something bad when they are True. */
  bad?: readonly string[];
  /** Types that tell of no problem, whatever they say: what a person has set. */
  wanted?: readonly string[];
}

/** What ails an object, by its conditions; an object without any has not been seen by a manager. */
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
  // Ready only sums up the others; it is worth a line where they say nothing.
  const causes = ill.filter(({ type }) => type !== 'Ready');
  const told = new Set<string>();
  return (causes.length > 0 ? causes : ill).flatMap(({ type, reason, message }) => {
    if (told.has(`${reason} ${message}`)) return [];
    told.add(`${reason} ${message}`);
    return [{ condition: type, reason, message }];
  });
}
