import type { Condition } from '../../api/index.ts';
import type { Problem } from './overview.ts';

/** A problem without its object. */
export type Trouble = Pick<Problem, 'reason' | 'what' | 'todo'>;

/** `VirtualMachineBMC vms/web`, or `Pods` for all of a kind. */
export function objectOf({ kind, namespace, name }: Pick<Problem, 'kind' | 'namespace' | 'name'>): string {
  if (name === undefined) return `${kind}s${namespace === undefined ? '' : ` in namespace ${namespace}`}`;
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** How to read the conditions of a kind other than `Ready` and those that are normally True. */
interface Meaning {
  /** Types that report a problem when they are True. */
  bad?: readonly string[];
  /** Types that are never a problem because the user has set them. */
  wanted?: readonly string[];
  /** Types whose problem a more exact one replaces. */
  replaced?: readonly string[];
}

/**
 * The problems of an object according to its conditions. An object without conditions has not been seen by a manager.
 */
export function conditionTroubles(conditions: readonly Condition[] | undefined, meaning: Meaning = {}): Trouble[] {
  if (conditions === undefined || conditions.length === 0) {
    const todo = 'See that a manager runs: kubectl get pods -A -l app.kubernetes.io/component=manager';
    return [{ reason: 'NotReconciled', what: 'No manager has looked at it.', todo }];
  }
  const { bad = [], wanted = [], replaced = [] } = meaning;
  const ill = conditions.filter(
    ({ type, status }) => !wanted.includes(type) && status !== (bad.includes(type) ? 'False' : 'True'),
  );
  // Ready is a summary; it is listed only if no other condition reports a problem.
  const causes = ill.filter(({ type }) => type !== 'Ready');
  const told = new Set<string>();
  return (causes.length > 0 ? causes : ill).flatMap(({ type, reason, message }) => {
    if (replaced.includes(type) || told.has(`${reason} ${message}`)) return [];
    told.add(`${reason} ${message}`);
    return [{ reason, what: message }];
  });
}

/** The problem of an object that another controller serves. Other conditions and missing objects are then those of that controller. */
export function leftToOther(conditions: readonly Condition[] = []): Trouble | undefined {
  const left = conditions.find(({ reason }) => reason === 'OtherControllerServes');
  return left && { reason: left.reason, what: left.message };
}

/** A duration in kubectl's format: `45s`, `12m`, `3h`, `8d`. */
export function age(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (Number.isNaN(seconds)) return '?';
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
