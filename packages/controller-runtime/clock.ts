/** A timer that has not fired is called off by `cancel`; after that it does nothing. */
export interface Timer {
  cancel(): void;
}

/** Time, passed in so that back-off, leases and time-outs can be tested without waiting. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  setTimeout(callback: () => void, milliseconds: number): Timer;
}

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(callback, milliseconds) {
    const timeout = setTimeout(callback, milliseconds);
    return {
      cancel() {
        clearTimeout(timeout);
      },
    };
  },
};
