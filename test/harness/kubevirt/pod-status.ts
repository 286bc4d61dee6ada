import { timestamp, type Pod } from '@groundcrew/controller-runtime';

export type PodStatus = NonNullable<Pod['status']>;

/** A pod whose containers have just started. */
export function runningStatus(pod: Pod, now: number): Partial<PodStatus> {
  const time = timestamp(now);
  const address = addressOf(pod);
  const conditions = ['PodScheduled', 'Initialized', 'ContainersReady'].map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: time,
  }));
  const status: Partial<PodStatus> = {
    phase: 'Running',
    hostIP: '127.0.0.1',
    podIP: address,
    podIPs: [{ ip: address }],
    startTime: time,
    conditions: [...otherConditions(pod, conditions), ...conditions],
    containerStatuses: containerStatuses(pod, { running: { startedAt: time } }, true),
  };
  const ready = withReady({ ...pod, status }, gatesAreOpen({ ...pod, status }), now);
  return ready === undefined ? status : { ...status, conditions: ready };
}

/** A pod whose guest has ended. */
export function endedStatus(pod: Pod, succeeded: boolean, now: number): Partial<PodStatus> {
  const time = timestamp(now);
  const terminated = { exitCode: succeeded ? 0 : 1, reason: succeeded ? 'Completed' : 'Error', finishedAt: time };
  const conditions = ['Ready', 'ContainersReady'].map((type) => ({
    type,
    status: 'False',
    lastTransitionTime: time,
  }));
  return {
    phase: succeeded ? 'Succeeded' : 'Failed',
    conditions: [...otherConditions(pod, conditions), ...conditions],
    containerStatuses: containerStatuses(pod, { terminated }, false),
  };
}

/** The condition that the scheduler writes into a pod without a suitable node; undefined if it is already set. */
export function unschedulableStatus(pod: Pod, now: number): Partial<PodStatus> | undefined {
  if (pod.status?.conditions?.some(({ type }) => type === 'PodScheduled') === true) return undefined;
  const message = 'no node that instances run on answers';
  const lastTransitionTime = timestamp(now);
  const scheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime };
  return { conditions: [...(pod.status?.conditions ?? []), scheduled] };
}

/** Whether the pod's readiness gates permit Ready. */
export function gatesAreOpen({ spec, status }: Pod): boolean {
  return (spec?.readinessGates ?? []).every(({ conditionType }) =>
    status?.conditions?.some((condition) => condition.type === conditionType && condition.status === 'True'),
  );
}

/**
 * The pod's conditions with the given Ready status; undefined if unchanged. The node controller gives no reason for
 * pods of a lost node.
 */
export function withReady(pod: Pod, ready: boolean, now: number): PodStatus['conditions'] | undefined {
  const conditions = pod.status?.conditions ?? [];
  const old = conditions.find(({ type }) => type === 'Ready');
  const status = ready ? 'True' : 'False';
  if (old?.status === status || (old === undefined && pod.status?.phase !== 'Running')) return undefined;
  const reason = ready || gatesAreOpen(pod) ? {} : { reason: 'ReadinessGatesNotReady' };
  const next = { type: 'Ready', status, ...reason, lastTransitionTime: timestamp(now) };
  return [...conditions.filter(({ type }) => type !== 'Ready'), next];
}

function otherConditions(pod: Pod, replaced: { type: string }[]): NonNullable<PodStatus['conditions']> {
  return (pod.status?.conditions ?? []).filter(({ type }) => replaced.every((condition) => condition.type !== type));
}

function containerStatuses(
  pod: Pod,
  state: NonNullable<NonNullable<PodStatus['containerStatuses']>[0]['state']>,
  ready: boolean,
): NonNullable<PodStatus['containerStatuses']> {
  return (pod.spec?.containers ?? []).map(({ name, image = '' }) => ({
    ...{ name, image, imageID: '', restartCount: 0, ready, started: ready, state },
  }));
}

/** In 10.88.0.0/16, where no host answers. */
function addressOf({ metadata: { uid = '' } }: Pod): string {
  const digits = Number.parseInt(uid.slice(0, 4), 16);
  return `10.88.${digits >> 8}.${1 + ((digits & 0xff) % 254)}`;
}
