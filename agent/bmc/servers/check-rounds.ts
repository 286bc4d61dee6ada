import type { Clock, Timer } from '@groundcrew/controller-runtime';

/** First checks that run at the same time. */
const PARALLEL = 4;
/** Least milliseconds between the starts of two repeated checks: 1,000 BMCs have 2,000 checks, one of them a TLS handshake. */
const GAP = 50;
/** Milliseconds until a check that has failed for the first time is repeated. */
const REPEAT = 1_000;
/** Failures in a row that count. */
const FAILURES = 2;

export interface CheckOptions {
  /**
   * Resolves with whether the server answers; does not reject.
   *
   * @param again whether the last check succeeded
   */
  check: (again: boolean) => Promise<boolean>;
  /** Milliseconds from the end of a check to the next; more if the process has many. */
  period: number;
  /** Called when `answers` has changed. */
  onChange?: (() => void) | undefined;
}

/** The repeated check of a server. */
export interface RunningCheck {
  /**
   * Whether the server answers. A single failure does not count: the process or its node was busy for a moment, and a pod that is
   * not ready loses all its clients.
   */
  readonly answers: boolean;
  stop(): void;
}

interface Job extends CheckOptions {
  answers: boolean;
  /** In a row. */
  failures: number;
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

  /** Runs a check soon and then again and again. */
  add(options: CheckOptions): RunningCheck {
    const job: Job = { ...options, answers: false, failures: 0, isOver: false };
    this.#first.push(job);
    // Later: the caller may not be ready yet.
    queueMicrotask(() => {
      this.#startFirst();
    });
    return {
      get answers() {
        return job.answers;
      },
      stop: () => {
        job.isOver = true;
        job.timer?.cancel();
        this.#failed.delete(job);
        this.#due.delete(job);
      },
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
    const succeeded = await job.check(job.answers && job.failures === 0);
    if (job.isOver) return;
    job.failures = succeeded ? 0 : job.failures + 1;
    const before = job.answers;
    job.answers = succeeded || (before && job.failures < FAILURES);
    const delay = succeeded || job.failures >= FAILURES ? job.period : REPEAT;
    job.timer = this.#clock.setTimeout(() => {
      (succeeded ? this.#due : this.#failed).add(job);
      this.#startDue();
    }, delay);
    if (job.answers !== before) job.onChange?.();
  }
}
