import type { Condition } from '../../api/index.ts';
import type { KubeObject } from '@groundcrew/controller-runtime';
import type { Problem } from './overview.ts';

/** A problem without its object. */
export type Trouble = Pick<Problem, 'reason' | 'what' | 'todo'>;

/** Returns milliseconds since 1970. What does not call it holds at any time. */
export type Now = () => number;

/**
 * Milliseconds that may pass until something new works before that is a problem: enough to pull an image, and more than a change of leaders
 * (25 s).
 */
export const PATIENCE = 60_000;

/** Reasons by which a manager says that something is being made or read. */
const BEING_MADE: ReadonlySet<string> = new Set([
  'VirtualMachineUnread',
  'SecretUnread',
  'SecretPending',
  'CertificatePending',
  'ServiceNotReady',
  'AgentPending',
  'AgentBehind',
  'LeasesUnread',
]);

/** Whether it was created a short time ago. */
export function isNew({ metadata }: Pick<KubeObject, 'metadata'>, now: Now): boolean {
  return isRecent(metadata.creationTimestamp, now);
}

/** An object as the API server sends it. The type of metadata omits managedFields, because most caches remove them. */
export interface Written {
  metadata: KubeObject['metadata'] & { managedFields?: readonly { time?: string; subresource?: string }[] };
}

/** Whether it was created or written a short time ago; reports of its status do not count. */
export function isEdited(object: Pick<KubeObject, 'metadata'>, now: Now): boolean {
  const { managedFields = [] } = (object as Written).metadata;
  const edits = managedFields.filter(({ subresource }) => subresource === undefined);
  return isNew(object, now) || edits.some(({ time }) => isRecent(time, now));
}

function isRecent(time: string | undefined, now: Now): boolean {
  return now() - Date.parse(time ?? '') < PATIENCE;
}

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
  /** Whether a more exact problem replaces that of a condition, or it only lags behind. */
  replaced?: (condition: Condition) => boolean;
}

/** An object with conditions. */
interface Conditioned extends Pick<KubeObject, 'metadata'> {
  status?: { conditions?: readonly Condition[] | undefined } | undefined;
}

/**
 * The problems of an object according to its conditions. An object without conditions has not been seen by a manager.
 */
export function conditionTroubles(object: Conditioned, now: Now, meaning: Meaning = {}): Trouble[] {
  const { conditions = [] } = object.status ?? {};
  if (conditions.length === 0) {
    if (isNew(object, now)) return [];
    const todo = 'See that a manager runs: kubectl get pods -A -l app.kubernetes.io/component=manager';
    return [{ reason: 'NotReconciled', what: 'No manager has looked at it.', todo }];
  }
  const { bad = [], wanted = [], replaced = () => false } = meaning;
  const ill = conditions.filter(
    ({ type, status }) => !wanted.includes(type) && status !== (bad.includes(type) ? 'False' : 'True'),
  );
  // Ready is a summary; it is listed only if no other condition reports a problem.
  const causes = ill.filter(({ type }) => type !== 'Ready');
  const told = new Set<string>();
  return (causes.length > 0 ? causes : ill).flatMap((condition) => {
    const { reason, message, lastTransitionTime } = condition;
    if (replaced(condition) || told.has(`${reason} ${message}`)) return [];
    if (BEING_MADE.has(reason) && isRecent(lastTransitionTime, now)) return [];
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
