import type { Pod } from '@groundcrew/controller-runtime';

type ContainerStatus = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>;

/** State of a container; times in milliseconds since 1970. */
export type ContainerState =
  | { type: 'waiting'; reason: string; message?: string }
  | { type: 'running'; startedAt: number }
  | TerminatedState;

export interface TerminatedState {
  type: 'terminated';
  /** Exit code of the program; 128 + n if signal n ended it. */
  exitCode: number;
  reason: string;
  message?: string;
  startedAt: number;
  finishedAt: number;
  containerId: string;
}

/** One container as its pod's status shows it. */
export interface ContainerView {
  name: string;
  image: string;
  containerId: string | undefined;
  state: ContainerState;
  lastState: TerminatedState | undefined;
  restartCount: number;
  /** Its startup probe, if it has one, has succeeded. */
  started: boolean;
  /** It runs, and its readiness probe, if it has one, succeeds. */
  ready: boolean;
  /** It has ended and is not started again. */
  done: boolean;
}

/** The last run of a container under an earlier kubelet. */
export interface FormerRun {
  restartCount: number;
  ended: TerminatedState;
}

/**
 * The last run of a container from its status, after the node has lost all programs; undefined if it has not run. A
 * program that was running has exit code 255 and the reason `Unknown`, as from containerd after a reboot.
 */
export function formerRun(status: ContainerStatus | undefined, now: number): FormerRun | undefined {
  if (status?.containerID === undefined) return undefined;
  const { restartCount, containerID, state, lastState } = status;
  const unseen: Terminated = { exitCode: 255, reason: 'Unknown', startedAt: state?.running?.startedAt };
  const seen = state?.terminated ?? (state?.waiting === undefined ? undefined : lastState?.terminated) ?? unseen;
  const { exitCode, reason = 'Error', message, startedAt, finishedAt, containerID: containerId = containerID } = seen;
  const ended: TerminatedState = {
    type: 'terminated',
    exitCode,
    reason,
    ...(message === undefined ? {} : { message }),
    startedAt: timeOf(startedAt, now),
    finishedAt: timeOf(finishedAt, now),
    containerId,
  };
  return { restartCount, ended };
}

function timeOf(text: string | undefined, otherwise: number): number {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? otherwise : time;
}
