import { isConflict, type Logger } from '@groundcrew/controller-runtime';

/** One step of a reconcile; may fail independently of the others. */
export interface ReconcileStep {
  /** In log lines and Events: `boot override`. */
  readonly name: string;
  readonly work: () => Promise<void>;
}

export interface StepFailure {
  readonly name: string;
  readonly error: unknown;
}

/** Some steps failed. The reconcile is retried. */
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

/** Runs steps independently: a failed step does not block the others. */
export class ReconcileSteps {
  readonly #logger: Logger;
  readonly #warn: (reason: string, message: string) => void;
  /** Failed steps by name: the error, and whether it was reported since the last success. */
  readonly #failing = new Map<string, { message: string; isTold: boolean }>();

  /** @param warn emits a Warning Event for the second failure in a row: the first may be a race */
  constructor({ logger, warn }: { logger: Logger; warn: (reason: string, message: string) => void }) {
    this.#logger = logger;
    this.#warn = warn;
  }

  /** Why these steps failed in the last run; undefined if none did. */
  problemOf(...names: readonly string[]): string | undefined {
    const failing = names.flatMap((name) => {
      const failure = this.#failing.get(name);
      return failure === undefined ? [] : [`${name}: ${failure.message}`];
    });
    return failing.length === 0 ? undefined : failing.join('; ');
  }

  /** Runs all steps in order. @returns the failed ones; each is logged */
  async carryOut(steps: readonly ReconcileStep[]): Promise<readonly StepFailure[]> {
    const failures: StepFailure[] = [];
    for (const { name, work } of steps) {
      try {
        await work();
        if (this.#failing.delete(name)) this.#logger.info({ step: name }, 'a step that had failed has succeeded');
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
      this.#logger.warn({ err: error, step: name }, 'a step of the reconcile failed; trying again');
    }
    const isDue = before?.isTold === false && !isConflict(error);
    this.#failing.set(name, { message, isTold: isDue || before?.isTold === true });
    if (isDue) this.#warn('WorkFailed', `${name}: ${message}; it is retried`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
