import { isConflict, type Logger } from '@groundcrew/controller-runtime';

/** Something to be done at every look, which may fail for itself. */
export interface ReconcileStep {
  /** In log lines and Events: `boot override`. */
  readonly name: string;
  readonly work: () => Promise<void>;
}

export interface StepFailure {
  readonly name: string;
  readonly error: unknown;
}

/** What is thrown where steps failed, so that all of them are tried again. */
export class StepsError extends AggregateError {
  readonly code = 'StepsFailed';

  constructor(failures: readonly StepFailure[]) {
    super(
      failures.map(({ error }) => error),
      failures.map(({ name, error }) => `${name}: ${messageOf(error)}`).join('; '),
    );
    this.name = 'StepsError';
  }
}

/** Carries out what there is to do, each for itself: one that fails keeps no other from being done. */
export class ReconcileSteps {
  readonly #logger: Logger;
  readonly #warn: (reason: string, message: string) => void;
  /** By name, of those that failed last: why, and whether people have been warned since it was last done. */
  readonly #failing = new Map<string, { message: string; isTold: boolean }>();

  /** @param warn makes a Warning, of what fails for a second time: once may be a race */
  constructor({ logger, warn }: { logger: Logger; warn: (reason: string, message: string) => void }) {
    this.#logger = logger;
    this.#warn = warn;
  }

  /** What keeps these from being done, as it was at the last look; undefined: nothing does. */
  problemOf(...names: readonly string[]): string | undefined {
    const failing = names.flatMap((name) => {
      const failure = this.#failing.get(name);
      return failure === undefined ? [] : [`${name}: ${failure.message}`];
    });
    return failing.length === 0 ? undefined : failing.join('; ');
  }

  /** Does all in order. @returns those that failed, each logged */
  async carryOut(steps: readonly ReconcileStep[]): Promise<readonly StepFailure[]> {
    const failures: StepFailure[] = [];
    for (const { name, work } of steps) {
      try {
        await work();
        if (this.#failing.delete(name)) this.#logger.info({ step: name }, 'what had failed is done');
      } catch (error) {
        failures.push({ name, error });
        this.#note(name, error);
      }
    }
    return failures;
  }

  #note(name: string, error: unknown): void {
    const before = this.#failing.get(name);
    const message = messageOf(error);
    if (message !== before?.message) {
      this.#logger.warn({ err: error, step: name }, 'a part of the work on a BMC failed; trying again');
    }
    const isDue = before?.isTold === false && !isConflict(error);
    this.#failing.set(name, { message, isTold: isDue || before?.isTold === true });
    if (isDue) this.#warn('WorkFailed', `${name}: ${message}; it is tried again`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
