import type { Pod } from '@groundcrew/controller-runtime';
import { age, isNew, type Now, PATIENCE, type Trouble } from './problem.ts';

/** The state of a manager's or an agent's pod. */
export interface PodState {
  /** One word: `Ready`, or the most specific reason why it is not. */
  word: string;
  /** Number of restarts of its container. */
  restarts: number;
  trouble?: Trouble;
  /** It has ended for good: this is a problem only if no other pod serves. */
  isMinor?: boolean;
  /** Time of the last change of its readiness, if it is not Ready. RFC 3339. */
  notReadySince?: string;
}

/** Milliseconds for which the restart of a Ready pod is a problem. */
const RECENT = 3_600_000;

const PULL_REASONS = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'RegistryUnavailable',
  'ImageInspectError',
]);
const STARTING = new Set(['ContainerCreating', 'PodInitializing']);

export function podState(pod: Pod, now: Now): PodState {
  const facts = factsOf(pod, now);
  const { restarts, ready, ref } = facts;
  for (const check of CHECKS) {
    const found = check(facts);
    if (found === undefined) continue;
    const { word, what, todo, isMinor, isReady = false } = found;
    const since = isReady ? undefined : ready?.lastTransitionTime;
    return {
      word: isReady ? 'Ready' : word,
      restarts,
      ...(what === undefined ? {} : { trouble: { reason: word, what: `Pod ${ref.name} ${what}`, todo: todo ?? '' } }),
      ...(isMinor === true ? { isMinor } : {}),
      ...(since === undefined ? {} : { notReadySince: since }),
    };
  }
  return { word: 'Ready', restarts };
}

type Container = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];
type Exit = NonNullable<NonNullable<Container['state']>['terminated']>;

interface Facts {
  pod: Pod;
  ref: { namespace: string; name: string };
  /** The container with the problem, or the first one. */
  container: Container | undefined;
  /** Reason why the container waits, or ''. */
  waits: string;
  message: string;
  /** The present or the last end of the container. */
  exit: Exit | undefined;
  restarts: number;
  ready: { status: string; lastTransitionTime?: string } | undefined;
  isNew: () => boolean;
  /** Milliseconds since a time, RFC 3339. */
  since: (time: string | undefined) => number;
}

/** A result of a check; without `what` it is no problem. */
interface Finding {
  word: string;
  /** The sentence after the name of the pod. */
  what?: string;
  todo?: string;
  isMinor?: boolean;
  /** The pod serves nevertheless. */
  isReady?: boolean;
}

/** The first that finds something decides. */
const CHECKS: readonly ((facts: Facts) => Finding | undefined)[] = [
  leaving,
  ended,
  unscheduled,
  pullFails,
  crashes,
  blocked,
  notReady,
  restarted,
];

function factsOf(pod: Pod, now: Now): Facts {
  const { metadata, status } = pod;
  const containers = status?.containerStatuses ?? [];
  const container = containers.find(({ state }) => state?.waiting !== undefined) ?? containers[0];
  const { waiting } = container?.state ?? {};
  return {
    pod,
    ref: { namespace: metadata.namespace ?? '', name: metadata.name },
    container,
    waits: waiting?.reason ?? '',
    message: waiting?.message ?? '',
    exit: container?.state?.terminated ?? container?.lastState?.terminated,
    restarts: container?.restartCount ?? 0,
    ready: status?.conditions?.find(({ type }) => type === 'Ready'),
    isNew: () => isNew(pod, now),
    since: (time) => now() - Date.parse(time ?? ''),
  };
}

function leaving({ pod: { metadata, spec }, since }: Facts): Finding | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined;
  const late = since(metadata.deletionTimestamp);
  if (late < PATIENCE) return { word: 'Terminating' };
  const node = spec?.nodeName ?? '';
  const what = `should have ended ${age(late)} ago: node ${node} does not answer.`;
  const todo = `If the node is gone for good, kubectl delete node ${node}; otherwise repair it.`;
  return { word: 'Terminating', what, todo };
}

/** An evicted pod stays as an object beside the one that replaces it. */
function ended({ pod: { status }, exit, ref }: Facts): Finding | undefined {
  if (status?.phase !== 'Failed' && status?.phase !== 'Succeeded') return undefined;
  const said = [status.reason, status.message].filter((part) => part !== undefined && part !== '').join(': ');
  const what = `has ended: ${said === '' ? exitText(exit) : said}.`;
  return { word: status.reason ?? status.phase, what, todo: describe(ref), isMinor: true };
}

function unscheduled({ pod: { status } }: Facts): Finding | undefined {
  const condition = status?.conditions?.find((one) => one.type === 'PodScheduled' && one.status === 'False');
  if (condition === undefined) return undefined;
  const what = `has no node: ${condition.message ?? condition.reason ?? ''}`;
  const todo =
    'Make room on the nodes, or change the resources, nodeSelector, tolerations or affinity of spec.agent or of the chart.';
  return { word: 'Unschedulable', what, todo };
}

function pullFails({ waits, message, container }: Facts): Finding | undefined {
  if (!PULL_REASONS.has(waits)) return undefined;
  const what = `cannot pull its image ${container?.image ?? ''}: ${waits}: ${message}`;
  const todo = 'Correct the image (spec.agent.image, or the values of the chart), the registry, or imagePullSecrets.';
  return { word: waits, what, todo };
}

function crashes({ waits, container, exit, restarts, ref }: Facts): Finding | undefined {
  const isDown = container?.state?.terminated !== undefined;
  if (waits !== 'CrashLoopBackOff' && !isDown) return undefined;
  const what = `ends again and again: ${restarts} restarts, the last exit was ${exitText(exit)}.`;
  return { word: isOutOfMemory(exit) ? 'OOMKilled' : 'CrashLoopBackOff', what, todo: remedy(exit, ref) };
}

function blocked({ waits, message, ref }: Facts): Finding | undefined {
  if (waits === '' || STARTING.has(waits)) return undefined;
  return { word: waits, what: `does not start: ${waits}: ${message}`, todo: describe(ref) };
}

function notReady({ pod: { metadata }, ready, restarts, container, isNew, since, ref }: Facts): Finding | undefined {
  if (ready?.status === 'True') return undefined;
  if (restarts === 0 && isNew()) return { word: 'Starting' };
  const duration = age(since(ready?.lastTransitionTime ?? metadata.creationTimestamp));
  if (container?.state?.running === undefined)
    return { word: 'Starting', what: `has been starting for ${duration}.`, todo: describe(ref) };
  return { word: 'NotReady', what: `runs, but has not been ready for ${duration}.`, todo: log(ref) };
}

function restarted({ exit, restarts, since, ref }: Facts): Finding | undefined {
  if (exit === undefined || since(exit.finishedAt) > RECENT) return undefined;
  const often = restarts === 1 ? 'once' : `${restarts} times`;
  const what = `has restarted ${often}, the last time ${age(since(exit.finishedAt))} ago: ${exitText(exit)}.`;
  return { word: isOutOfMemory(exit) ? 'OOMKilled' : 'Restarted', what, todo: remedy(exit, ref), isReady: true };
}

function isOutOfMemory(exit: Exit | undefined): boolean {
  return exit?.reason === 'OOMKilled';
}

function exitText(exit: Exit | undefined): string {
  return exit === undefined ? 'not recorded' : `${exit.reason ?? 'Error'} (exit code ${exit.exitCode})`;
}

function remedy(exit: Exit | undefined, ref: Facts['ref']): string {
  if (!isOutOfMemory(exit)) return `${log(ref)} --previous`;
  return 'Raise its memory limit: spec.agent.resources, or the resources in the values of the chart.';
}

function log({ namespace, name }: Facts['ref']): string {
  return `Its log says why: kubectl logs -n ${namespace} ${name}`;
}

function describe({ namespace, name }: Facts['ref']): string {
  return `See its events: kubectl describe pod -n ${namespace} ${name}`;
}
