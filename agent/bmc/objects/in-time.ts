import type { Clock } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';

/**
 * Milliseconds within which a client's command is answered. With IPMI, Ironic gives up after 5 s (`ipmitool -N 5 -R 1`),
 * pyghmi after 8 s, ipmitool by default after 10 s. Redfish clients wait longer.
 */
export const ANSWER_WITHIN = { IPMI: 4_000, Redfish: 10_000 } as const;

interface InTimeOptions {
  /** Runs tasks one at a time. */
  queue: { run<T>(task: () => Promise<T>): Promise<T> };
  clock: Clock;
  /** Milliseconds. */
  within: number;
  /** From [0, 1): the commands that wait in an outage must not all end in one turn of the event loop. */
  jitter?: number;
}

/** Part of the time by which a command ends earlier at most. */
const JITTER = 0.1;

/**
 * Runs a client's command in the queue, or answers in time that it is not done: what was reported as failed must not be done
 * later. Out of time, a command that waits is never begun. One that has begun ends at once: `deadline` aborts its requests. If
 * a write is on the way then, the error of `work` says that it may be done.
 *
 * @param work passes `deadline` to all its requests
 * @throws MachineError `Timeout`; what `work` throws
 */
export async function inTime<T>(
  work: (deadline: AbortSignal) => Promise<T>,
  { queue, clock, within, jitter = 0 }: InTimeOptions,
): Promise<T> {
  const late = new AbortController();
  const deadline = late.signal;
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  let hasBegun = false;
  const timer = clock.setTimeout(
    () => {
      const error = outOfTime(within);
      late.abort(error);
      if (!hasBegun) reject(error);
    },
    within * (1 - JITTER * jitter),
  );
  const begin = async (): Promise<T> => {
    deadline.throwIfAborted();
    hasBegun = true;
    return await work(deadline);
  };
  try {
    return await Promise.race([queue.run(begin), tooLate]);
  } catch (error) {
    // An aborted request fails in different ways.
    if (deadline.aborted && !(error instanceof MachineError)) throw outOfTime(within, error);
    throw error;
  } finally {
    timer.cancel();
  }
}

function outOfTime(within: number, cause?: unknown): MachineError {
  return new MachineError('Timeout', `the Kubernetes API has not answered within ${within / 1000} s`, { cause });
}
