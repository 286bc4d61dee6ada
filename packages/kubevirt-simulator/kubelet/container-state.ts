/** What a container is doing; times in milliseconds since 1970. */
export type ContainerState =
  | { type: 'waiting'; reason: string; message?: string }
  | { type: 'running'; startedAt: number }
  | TerminatedState;

export interface TerminatedState {
  type: 'terminated';
  /** Of the program; 128 + n where signal n ended it. */
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
  /** It has ended and will not be started again. */
  done: boolean;
}
