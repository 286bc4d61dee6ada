import { type Clock, isLostRace, sleep } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';
import { told } from './write-errors.ts';

/** Milliseconds to wait after each lost race before reading again. */
const RETRY_DELAYS = [20, 50, 100, 200, 400];

export interface RetryOnConflictOptions {
  clock: Clock;
  /** Ends waits between attempts. */
  signal: AbortSignal;
  /** Whether others were quicker. Default: {@link isLostRace}. */
  isLost?: (error: unknown) => boolean;
  /** What whoever asked is told of any other failure. Default: {@link told}. */
  tell?: (error: unknown) => unknown;
}

/**
 * Does `work`, and that again as long as others were quicker.
 *
 * @throws MachineError `Busy` where they always were; what `work` throws, as whoever asked is told it
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
