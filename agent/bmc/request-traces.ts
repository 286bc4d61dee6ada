import type { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The request of a client that the running code works for. Its ID is in the log, in Kubernetes Events and in the audit log of
 * the API server (docs/troubleshooting.md). Work that goes on after the answer has no ID: it may be for several requests.
 */
export class RequestTraces {
  readonly #prefix: string;
  #count = 0;
  /** The request of {@link beginBrief}, until its `work` returns. */
  #brief: Trace | undefined;
  // An ESM import would load every named built-in: 3 MB of an agent's memory.
  readonly #running: AsyncLocalStorage<Trace> = new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)();
  readonly #nextId = (): string => `${this.#prefix}-${(++this.#count).toString(36)}`;

  /** @param prefix letters and digits that no other process uses */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /**
   * Like {@link begin}, but of what `work` begins only that is for the request which is {@link bind bound} to it. A context that reaches
   * further costs a twentieth of an answer over IPMI.
   */
  beginBrief<T>(work: (trace: Trace) => T): T {
    const trace = new Trace(this.#nextId);
    this.#brief = trace;
    try {
      return work(trace);
    } finally {
      this.#brief = undefined;
    }
  }

  /** `work` for the request that the running code works for, with all that it begins, whenever it is called. */
  readonly bind = <T extends unknown[], R>(work: (...values: T) => R): ((...values: T) => R) => {
    const trace = this.current;
    if (trace === undefined) return work;
    return (...values) => {
      const before = this.#brief;
      this.#brief = undefined;
      try {
        return this.#running.run(trace, work, ...values);
      } finally {
        this.#brief = before;
      }
    };
  };

  /** Runs `work` for a new request, until {@link Trace.end}. */
  begin<T>(work: (trace: Trace) => T): T {
    const trace = new Trace(this.#nextId);
    return this.#running.run(trace, work, trace);
  }

  get current(): Trace | undefined {
    const trace = this.#brief ?? this.#running.getStore();
    return trace?.isOpen === true ? trace : undefined;
  }

  /** For the lines of a logger. */
  get fields(): { request?: string } {
    const { current } = this;
    return current === undefined ? {} : { request: current.id };
  }
}

/** One request of a client. */
export class Trace {
  readonly #nextId: () => string;
  #id: string | undefined;
  #calls = 0;
  isOpen = true;

  constructor(nextId: () => string) {
    this.#nextId = nextId;
  }

  /** Made on first use: most requests only read, and write no line. */
  get id(): string {
    return (this.#id ??= this.#nextId());
  }

  /** Whether a call was sent to the API server for it. */
  get hasCalled(): boolean {
    return this.#calls > 0;
  }

  /** The ID of the next call to the API server. Audit IDs must differ. */
  nextCallId(): string {
    this.#calls += 1;
    return `${this.id}-${this.#calls}`;
  }

  /** Call it when the request is answered. */
  end(): void {
    this.isOpen = false;
  }
}
