import type { Pod } from '@groundcrew/controller-runtime';
import type { TerminatedState } from './container-state.ts';

type ContainerStatus = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

/** The last run of a container under an earlier kubelet: it is over. */
export interface FormerRun {
  restartCount: number;
  ended: TerminatedState;
}

/**
 * What the status of a container says of its last run, after its node has lost all programs. One that ran ended
 * unseen: it has exit code 255 and the reason `Unknown`, as containerd gives them after a reboot. Undefined where it
 * has not run yet.
 */
export function formerRun(status: ContainerStatus | undefined, now: number): FormerRun | undefined {
  if (status?.containerID === undefined) return undefined;
  const { restartCount, containerID, state, lastState } = status;
  const seen = state?.terminated ?? (state?.waiting === undefined ? undefined : lastState?.terminated);
  const ended: TerminatedState =
    seen === undefined
      ? {
          type: 'terminated',
          exitCode: 255,
          reason: 'Unknown',
          startedAt: timeOf(state?.running?.startedAt, now),
          finishedAt: now,
          containerId: containerID,
        }
      : {
          type: 'terminated',
          exitCode: seen.exitCode,
          reason: seen.reason ?? 'Error',
          ...(seen.message === undefined ? {} : { message: seen.message }),
          startedAt: timeOf(seen.startedAt, now),
          finishedAt: timeOf(seen.finishedAt, now),
          containerId: seen.containerID ?? containerID,
        };
  return { restartCount, ended };
}

function timeOf(text: string | undefined, otherwise: number): number {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? otherwise : time;
}
