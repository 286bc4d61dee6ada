import { setTimeout as sleep } from 'node:timers/promises';

export interface EventuallyOptions {
  /** Milliseconds; default 10,000. */
  timeout?: number;
  /** Milliseconds between two tries; default 50. */
  interval?: number;
}

/** Timeout for garbage collection: the garbage collector discovers new kinds every 30 s. */
export const COLLECTED: EventuallyOptions = { timeout: 45_000 };

/**
 * Runs `attempt` until it does not throw, and returns its result. Throws the last error after the timeout.
 *
 * @example await eventually(async () => { expect(await phase()).toBe('Ready') }, { timeout: 5000 })
 */
export async function eventually<T>(attempt: () => T | Promise<T>, options: EventuallyOptions = {}): Promise<T> {
  const { timeout = 10_000, interval = 50 } = options;
  const deadline = performance.now() + timeout;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() >= deadline) {
        if (error instanceof Error) error.message += `\n(still so after ${timeout} ms)`;
        throw error;
      }
    }
    await sleep(interval);
  }
}
