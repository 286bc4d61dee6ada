import { type Clock, sleep, systemClock } from './clock.ts';
import { isLostRace } from './errors.ts';

export interface RetryOnConflictOptions {
  /** Default: {@link systemClock}. */
  clock?: Clock;
  /** Ends the attempts. Default: never. */
  signal?: AbortSignal;
  /** Milliseconds to wait before the second attempt, the third, and so on. Default 20, 50, 100, 200, 400. */
  delays?: readonly number[];
  /** Whether an error means that the object has changed since it was read. Default: {@link isLostRace}. */
  isConflict?: (error: unknown) => boolean;
}

const DELAYS = [20, 50, 100, 200, 400];
const NEVER = new AbortController().signal;

/**
 * Runs `work`, which reads an object, computes a change, and writes it over the version that it has read. Runs it again
 * if the object has changed in between. (client-go: `retry.RetryOnConflict`.)
 *
 * @param work gets the number of the attempt, from 1
 * @throws the last conflict if there are no more attempts or `signal` is aborted; any other error of `work`
 * @example await retryOnConflict(async () => {
 *   const lease = await client.get(LEASES, ref);
 *   await client.replace(LEASES, { ...lease, spec: renewed(lease.spec) });
 * }, { clock });
 */
export async function retryOnConflict<T>(
  work: (attempt: number) => Promise<T>,
  { clock = systemClock, signal = NEVER, delays = DELAYS, isConflict = isLostRace }: RetryOnConflictOptions = {},
): Promise<T> {
  const hasWaited = async (delay: number | undefined): Promise<boolean> => {
    if (delay === undefined) return false;
    if (delay > 0) await sleep(clock, delay, signal);
    return !signal.aborted;
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!isConflict(error) || !(await hasWaited(delays[attempt - 1]))) throw error;
    }
  }
}
