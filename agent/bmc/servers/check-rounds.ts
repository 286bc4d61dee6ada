import type { Clock, Timer } from '@groundcrew/controller-runtime';

/** First checks that run at the same time. */
const PARALLEL = 4;
/** Least milliseconds between the starts of two repeated checks: 1,000 BMCs have 2,000 checks, one of them a TLS handshake. */
const GAP = 50;

interface Job {
  readonly check: () => Promise<boolean>;
  /** Milliseconds from the end of a check to the next; more if the process has many. */
  readonly period: number;
  timer?: Timer;
  isOver: boolean;
}

/**
 * The self-checks of all servers of a process. The first check of a server runs soon. The others are spread over time: all
 * checks together cost a process with many BMCs the same, and each is repeated less often.
 */
export class CheckRounds {
  readonly #clock: Clock;
  /** Not checked yet. */
  readonly #first: Job[] = [];
  /** Due again, in this order; those whose last check failed, before the others. */
  readonly #failed = new Set<Job>();
  readonly #due = new Set<Job>();
  #running = 0;
  #pause: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs a check now and again.
   *
   * @param check resolves with whether the server answers; does not reject
   * @param period milliseconds
   * @returns ends it
   */
  add(check: () => Promise<boolean>, period: number): () => void {
    const job: Job = { check, period, isOver: false };
    this.#first.push(job);
    // Later: the caller may not be ready yet.
    queueMicrotask(() => {
      this.#startFirst();
    });
    return () => {
      job.isOver = true;
      job.timer?.cancel();
      this.#failed.delete(job);
      this.#due.delete(job);
    };
  }

  #startFirst(): void {
    while (this.#running < PARALLEL) {
      const job = this.#first.shift();
      if (job === undefined) return;
      if (job.isOver) continue;
      this.#running += 1;
      void this.#run(job).then(() => {
        this.#running -= 1;
        this.#startFirst();
      });
    }
  }

  #startDue(): void {
    if (this.#pause !== undefined) return;
    const due = this.#failed.size > 0 ? this.#failed : this.#due;
    const [job] = due;
    if (job === undefined) return;
    due.delete(job);
    this.#pause = this.#clock.setTimeout(() => {
      this.#pause = undefined;
      this.#startDue();
    }, GAP);
    void this.#run(job);
  }

  async #run(job: Job): Promise<void> {
    const answers = await job.check();
    if (job.isOver) return;
    job.timer = this.#clock.setTimeout(() => {
      (answers ? this.#due : this.#failed).add(job);
      this.#startDue();
    }, job.period);
  }
}
