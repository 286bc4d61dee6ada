/** `cancel` cancels a timer that has not fired; otherwise it has no effect. */
export interface Timer {
  cancel(): void;
}

/** Time as a dependency, so that back-off, leases and timeouts can be tested without waiting. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  setTimeout(callback: () => void, milliseconds: number): Timer;
}

/** The system clock. */
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
