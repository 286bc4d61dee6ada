import { timestamp, type Pod } from '@groundcrew/controller-runtime';
import type { ContainerState, ContainerView } from './container-state.ts';

export type PodStatus = NonNullable<Pod['status']>;
type PodCondition = NonNullable<PodStatus['conditions']>[number];
type ContainerStatus = NonNullable<PodStatus['containerStatuses']>[number];

export interface PodView {
  pod: Pod;
  containers: readonly ContainerView[];
  podIp: string | undefined;
  hostIp: string;
  /** When this kubelet first saw the pod, and now; milliseconds since 1970. */
  seenAt: number;
  now: number;
}

/** The pod's status as kubelet writes it. */
export function podStatusOf(view: PodView): PodStatus {
  const { pod, containers, podIp, hostIp, seenAt } = view;
  const phase = phaseOf(containers);
  return {
    phase,
    conditions: conditionsOf(view, phase),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    ...(podIp === undefined ? {} : { podIP: podIp, podIPs: [{ ip: podIp }] }),
    startTime: pod.status?.startTime ?? timestamp(seenAt),
    qosClass: pod.status?.qosClass ?? 'BestEffort',
    containerStatuses: containers.map(containerStatusOf),
  };
}

function phaseOf(containers: readonly ContainerView[]): string {
  if (containers.every(({ done }) => done)) {
    const failed = containers.some(({ state }) => state.type === 'terminated' && state.exitCode !== 0);
    return failed ? 'Failed' : 'Succeeded';
  }
  // A pod is Pending until each of its containers has been started once.
  const begun = containers.every(({ state, lastState }) => state.type !== 'waiting' || lastState !== undefined);
  return begun ? 'Running' : 'Pending';
}

function conditionsOf({ pod, containers, now }: PodView, phase: string): PodCondition[] {
  const unready = containers.filter(({ ready }) => !ready).map(({ name }) => name);
  const ready = unready.length === 0 && phase === 'Running';
  const why =
    phase === 'Succeeded'
      ? { reason: 'PodCompleted' }
      : { reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]` };
  const next: PodCondition[] = [
    { type: 'PodReadyToStartContainers', status: 'True' },
    { type: 'Initialized', status: 'True' },
    { type: 'Ready', status: ready ? 'True' : 'False', ...(ready ? {} : why) },
    { type: 'ContainersReady', status: ready ? 'True' : 'False', ...(ready ? {} : why) },
    { type: 'PodScheduled', status: 'True' },
  ];
  return next.map((condition) => {
    const old = pod.status?.conditions?.find(({ type }) => type === condition.type);
    const same = old?.status === condition.status && old.lastTransitionTime !== undefined;
    return { ...condition, lastTransitionTime: same ? old.lastTransitionTime : timestamp(now) };
  });
}

function containerStatusOf(view: ContainerView): ContainerStatus {
  return {
    name: view.name,
    image: view.image,
    imageID: view.containerId === undefined ? '' : `sandbox://${view.image}`,
    ...(view.containerId === undefined ? {} : { containerID: view.containerId }),
    state: stateOf(view.state),
    lastState: view.lastState === undefined ? {} : stateOf(view.lastState),
    restartCount: view.restartCount,
    started: view.started,
    ready: view.ready,
  };
}

function stateOf(state: ContainerState): NonNullable<ContainerStatus['state']> {
  switch (state.type) {
    case 'waiting':
      return { waiting: { reason: state.reason, ...(state.message === undefined ? {} : { message: state.message }) } };
    case 'running':
      return { running: { startedAt: timestamp(state.startedAt) } };
    case 'terminated':
      return {
        terminated: {
          exitCode: state.exitCode,
          reason: state.reason,
          ...(state.message === undefined ? {} : { message: state.message }),
          startedAt: timestamp(state.startedAt),
          finishedAt: timestamp(state.finishedAt),
          containerID: state.containerId,
        },
      };
  }
}
