/** `cancel` cancels a timer that has not fired; otherwise it has no effect. */
export interface Timer {
  cancel(): void;
}

/** Time as a dependency, so that back-off, leases and timeouts can be tested without waiting. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since any fixed moment; setting the system's time does not change it. */
  monotonic(): number;
  setTimeout(callback: () => void, milliseconds: number): Timer;
}

/** A class, because a process has thousands of timers: a closure takes more memory. */
class SystemTimer implements Timer {
  readonly #timeout: NodeJS.Timeout;

  constructor(callback: () => void, milliseconds: number) {
    this.#timeout = setTimeout(callback, milliseconds);
  }

  cancel(): void {
    clearTimeout(this.#timeout);
  }
}

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => {
    // `performance` would load node:perf_hooks: 1 MB of an agent.
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  },
  setTimeout: (callback, milliseconds) => new SystemTimer(callback, milliseconds),
};

/**
 * A clock that does not follow when the system's time is set forward, for deadlines that must not pass early. When it is set back, they
 * pass later.
 */
export function unhurried(clock: Clock): Clock {
  const start = clock.now() - clock.monotonic();
  return {
    now: () => Math.min(clock.now(), start + clock.monotonic()),
    monotonic: () => clock.monotonic(),
    setTimeout: (callback, milliseconds) => clock.setTimeout(callback, milliseconds),
  };
}

/** Resolves after `milliseconds`, or immediately when `signal` is aborted; never rejects and leaves no timer. */
export async function sleep(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      timer.cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.setTimeout(done, milliseconds);
    signal.addEventListener('abort', done, { once: true });
  });
}

/** Resolves when `signal` is aborted, immediately if it is already aborted. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve, { once: true });
  });
}

/** metav1.Time: RFC 3339 with whole seconds. `now` in milliseconds since 1970. */
export function timestamp(now: number): string {
  return new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** metav1.MicroTime: RFC 3339 with microseconds. `now` in milliseconds since 1970. */
export function microTimestamp(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z');
}
