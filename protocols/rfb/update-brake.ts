import type { ViewerConnection } from './viewer-connection.ts';

export interface UpdateBrakeOptions {
  viewers: ReadonlySet<ViewerConnection>;
  schedule: (work: () => void, delay: number) => () => void;
  /** Pauses and resumes what the machine sends. */
  pause: () => void;
  resume: () => void;
}

/** ms for which an update waits for a slow viewer. */
const STALL_TIME = 5_000;
/** Bytes kept for one viewer at which the machine's update is paused, and at which it goes on. */
const HIGH_WATER = 1024 * 1024;
const LOW_WATER = 256 * 1024;

/**
 * Bounds what is kept for viewers within one update, which may be large: the machine is paused while one of them has too much of it. After
 * 5 s, viewers that hold up others, or read nothing at all, get no more of it.
 */
export class UpdateBrake {
  readonly #options: UpdateBrakeOptions;
  #isPaused = false;
  #cancel: (() => void) | undefined;

  constructor(options: UpdateBrakeOptions) {
    this.#options = options;
  }

  /** Call after each change of what is kept for viewers. */
  check(): void {
    const isFull = this.#slow(this.#isPaused ? LOW_WATER : HIGH_WATER).length > 0;
    if (isFull === this.#isPaused) return;
    this.#isPaused = isFull;
    this.#cancel?.();
    if (!isFull) {
      this.#options.resume();
      return;
    }
    this.#options.pause();
    this.#wait();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#isPaused = false;
  }

  #wait(): void {
    const before = new Map(this.#slow(LOW_WATER).map((viewer) => [viewer, viewer.backlog]));
    this.#cancel = this.#options.schedule(() => {
      const slow = this.#slow(LOW_WATER);
      const areOthersWaiting = [...this.#options.viewers].some((one) => one.part !== 'None' && !slow.includes(one));
      for (const viewer of slow) {
        const isStuck = viewer.backlog >= (before.get(viewer) ?? 0);
        if (viewer.part === 'Held') viewer.miss();
        else if (isStuck || areOthersWaiting) viewer.end('TooSlow', 'the connection is too slow for the screen');
      }
      this.check();
      if (this.#isPaused) this.#wait();
    }, STALL_TIME);
  }

  #slow(limit: number): ViewerConnection[] {
    return [...this.#options.viewers].filter(({ part, backlog }) => part !== 'None' && backlog > limit);
  }
}
