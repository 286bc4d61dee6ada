import type { Clock } from '@groundcrew/controller-runtime';
import { Slots, type SlotOptions } from './slots.ts';

/** Background work has every fifth turn: a client does not wait for long, and the second half of a power cycle is background work. */
const MOST_IN_A_ROW = 4;
/** Slots for tasks that have just turned out to be slow, for each of the others: when a node is lost, all its machines do at once. */
const MOVED = 3;
/** Subjects that are known to be slow: some paths, such as those of Events, are asked for only once. */
const MOST_KNOWN = 1_000;

/**
 * Runs a limited number of tasks at a time; the others wait in order. A task that takes long gives its slot up for one of another kind,
 * and the next ones on its subject wait for slots of their own, until one of them is quick. So they keep tasks on other subjects
 * waiting for that time, not until they are given up.
 */
export class FairSlots {
  readonly #clock: Clock;
  readonly #slowAfter: number;
  readonly #quick: Slots;
  readonly #moved: Slots;
  /** Of subjects that are known to be slow. */
  readonly #slow: Slots;
  /** Subjects whose last task took long, or takes long now. */
  readonly #known = new Set<string>();

  /** @param size five times as many tasks run at a time if most are slow @param slowAfter milliseconds */
  constructor(size: number, slowAfter: number, clock: Clock) {
    this.#slowAfter = slowAfter;
    this.#clock = clock;
    this.#quick = new Slots(size, { mostInARow: MOST_IN_A_ROW });
    this.#moved = new Slots(MOVED * size);
    this.#slow = new Slots(size);
  }

  /**
   * Settles as `task` does.
   *
   * @throws the reason of `options.signal`, without having begun
   */
  async run<T>(subject: string, task: () => Promise<T>, options: SlotOptions): Promise<T> {
    if (this.#known.has(subject)) return await this.#slow.run(() => this.#watched(subject, task, options), options);
    const [answer] = await this.#quick.run(async () => {
      const running = task();
      await this.#untilEndOrMove(subject, running);
      // The array keeps it from being awaited here.
      return [running] as const;
    }, options);
    return await answer;
  }

  /** Resolves when the task needs no quick slot any more: it has ended, or it has another one. */
  async #untilEndOrMove(subject: string, running: Promise<unknown>): Promise<void> {
    const noted = (): undefined => undefined;
    const end = running.then(noted, noted);
    const { promise: late, resolve } = Promise.withResolvers<true>();
    const timer = this.#clock.setTimeout(() => {
      resolve(true);
    }, this.#slowAfter);
    const isLate = await Promise.race([end, late]);
    timer.cancel();
    if (isLate === undefined) return;
    this.#note(subject);
    const { promise: moved, resolve: move } = Promise.withResolvers<undefined>();
    void this.#moved.run(async () => {
      move(undefined);
      await end;
    });
    await Promise.race([end, moved]);
  }

  /** Runs a task on a subject that was slow, and forgets that if it is not. */
  async #watched<T>(subject: string, task: () => Promise<T>, { signal }: SlotOptions): Promise<T> {
    const begun = this.#clock.monotonic();
    try {
      return await task();
    } finally {
      // A task that was given up soon after its wait tells nothing.
      if (this.#clock.monotonic() - begun < this.#slowAfter && signal?.aborted !== true) this.#known.delete(subject);
    }
  }

  #note(subject: string): void {
    const [oldest] = this.#known.size < MOST_KNOWN ? [] : this.#known;
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.add(subject);
  }
}
