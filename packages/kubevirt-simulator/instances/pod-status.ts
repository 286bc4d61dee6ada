import { timestamp, type Pod } from '@groundcrew/controller-runtime';

/*
 * The status of virt-launcher pods, which no process runs in; shared with the simulated nodes of a real KubeVirt
 * (`test/harness/kubevirt`).
 */

export type PodStatus = NonNullable<Pod['status']>;

/** The status of a pod whose containers have just started; Ready if its readiness gates permit. */
export function runningStatus(pod: Pod, ip: string | undefined, now: number): Partial<PodStatus> {
  const time = timestamp(now);
  const conditions = ['PodScheduled', 'Initialized', 'ContainersReady'].map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: time,
  }));
  const status: Partial<PodStatus> = {
    phase: 'Running',
    hostIP: '127.0.0.1',
    ...(ip === undefined ? {} : { podIP: ip, podIPs: [{ ip }] }),
    startTime: time,
    conditions: [...otherConditions(pod, conditions), ...conditions],
    containerStatuses: containerStatuses(pod, { running: { startedAt: time } }, true),
  };
  const ready = withReady({ ...pod, status }, gatesAreOpen({ ...pod, status }), now);
  return ready === undefined ? status : { ...status, conditions: ready };
}

/** The status of a pod whose guest has ended. */
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

/** Whether the pod's readiness gates permit Ready. */
export function gatesAreOpen(pod: Pod): boolean {
  return closedGate(pod) === undefined;
}

function closedGate({ spec, status }: Pod): string | undefined {
  const isOpen = (gate: string): boolean =>
    status?.conditions?.some((condition) => condition.type === gate && condition.status === 'True') === true;
  return spec?.readinessGates?.map(({ conditionType }) => conditionType).find((gate) => !isOpen(gate));
}

/** The pod's conditions with the given Ready status; undefined if unchanged. Pods of a lost node have no reason. */
export function withReady(pod: Pod, ready: boolean, now: number): PodStatus['conditions'] | undefined {
  const conditions = pod.status?.conditions ?? [];
  const old = conditions.find(({ type }) => type === 'Ready');
  const status = ready ? 'True' : 'False';
  if (old?.status === status || (old === undefined && pod.status?.phase !== 'Running')) return undefined;
  const gate = ready ? undefined : closedGate(pod);
  const message = `the status of pod readiness gate "${gate ?? ''}" is not "True", but False`;
  const next = {
    type: 'Ready',
    status,
    ...(gate === undefined ? {} : { reason: 'ReadinessGatesNotReady', message }),
    lastTransitionTime: timestamp(now),
  };
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
