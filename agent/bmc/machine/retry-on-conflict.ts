import { isInvalid, isLostRace, sleep, type Clock } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';
import { unavailable } from './machine-objects.ts';

/** Milliseconds to wait after each conflict before reading again. */
const RETRY_DELAYS = [20, 50, 100, 200, 400];

export interface RetryOnConflictOptions {
  clock: Clock;
  /** Cancels waits between attempts. */
  signal: AbortSignal;
  /** Whether the error is a conflict. Default: {@link isLostRace}. */
  isLost?: (error: unknown) => boolean;
  /** Maps any other error for the client. Default: {@link told}. */
  tell?: (error: unknown) => unknown;
}

/**
 * Runs `work`, and repeats it after conflicts.
 *
 * @throws MachineError `Busy` if all attempts conflict; other errors of `work`, mapped for the client
 */
export async function retryOnConflict<T>(
  work: () => Promise<T>,
  { clock, signal, isLost = isLostRace, tell = told }: RetryOnConflictOptions,
): Promise<T> {
  let lost: unknown;
  for (const delay of [0, ...RETRY_DELAYS]) {
    await sleep(clock, delay, signal);
    try {
      return await work();
    } catch (error) {
      if (!isLost(error)) throw tell(error);
      lost = error;
    }
  }
  throw new MachineError('Busy', 'the virtual machine is being changed by others: try again', { cause: lost });
}

/** The error for the client. */
export function told(error: unknown): unknown {
  if (isInvalid(error)) return new MachineError('InvalidState', error.serverMessage, { cause: error });
  return unavailable(error);
}
