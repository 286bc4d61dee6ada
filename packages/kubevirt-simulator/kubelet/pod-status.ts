import { isDeepStrictEqual } from 'node:util';
import {
  isConflict,
  isNotFound,
  PODS,
  refOf,
  sleep,
  timestamp,
  type Clock,
  type KubeClient,
  type Logger,
  type Pod,
} from '@groundcrew/controller-runtime';
import type { ContainerState, ContainerView } from './container-state.ts';

export type PodStatus = NonNullable<Pod['status']>;
type PodCondition = NonNullable<PodStatus['conditions']>[number];
type ContainerStatus = NonNullable<PodStatus['containerStatuses']>[number];

export interface PodView {
  pod: Pod;
  containers: readonly ContainerView[];
  podIp: string;
  hostIp: string;
  /** Time when this kubelet first saw the pod, and now; milliseconds since 1970. */
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
    podIP: podIp,
    podIPs: [{ ip: podIp }],
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

export interface PodStatusWriterOptions {
  client: KubeClient;
  clock: Clock;
  logger: Logger;
  /** The pod as last seen, and its current status. */
  read: () => { pod: Pod; status: PodStatus };
}

/** Milliseconds between attempts after a failed write. */
const RETRY = 1000;

/** Writes a pod's status in the background, one write at a time, each with the latest state. */
export class PodStatusWriter {
  readonly #options: PodStatusWriterOptions;
  readonly #stopped = new AbortController();
  #writing: Promise<void> | undefined;
  #dirty = false;
  #last: PodStatus | undefined;

  constructor(options: PodStatusWriterOptions) {
    this.#options = options;
  }

  /** The status may have changed. */
  changed(): void {
    this.#dirty = true;
    if (this.#stopped.signal.aborted) return;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when everything is written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /** Stops writing; resolves when the current write has ended. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#writing;
  }

  async #write(): Promise<void> {
    const { client, clock, logger, read } = this.#options;
    while (this.#dirty && !this.#stopped.signal.aborted) {
      this.#dirty = false;
      const { pod, status } = read();
      if (isDeepStrictEqual(status, this.#last)) continue;
      const { uid } = pod.metadata;
      try {
        // The uid protects a later pod with the same name.
        await client.patch(PODS, refOf(pod), 'merge', { metadata: { uid }, status }, { subresource: 'status' });
        this.#last = status;
      } catch (error) {
        if (isNotFound(error) || isConflict(error)) return;
        logger.warn({ err: error, pod: pod.metadata.name }, 'cannot write the status of a pod; retrying');
        this.#dirty = true;
        await sleep(clock, RETRY, this.#stopped.signal);
      }
    }
  }
}
