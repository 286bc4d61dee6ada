/**
 * Runs tasks one at a time, in order. A synchronous task runs at once and returns its value directly, so the common request
 * costs no promise.
 */
export class SerialQueue {
  readonly #limit: number;
  #tail: Promise<unknown> | undefined;
  #waiting = 0;

  /** @param limit maximum number of running and waiting tasks; default: no limit */
  constructor(limit = Infinity) {
    this.#limit = limit;
  }

  /** No task is running or waiting. */
  get isIdle(): boolean {
    return this.#tail === undefined;
  }

  get isFull(): boolean {
    return this.#waiting >= this.#limit;
  }

  /** Rejects or throws as `task` does; later tasks still run. */
  run<T>(task: () => Promise<T>): Promise<T>;
  run<T>(task: () => T | Promise<T>): T | Promise<T>;
  run<T>(task: () => T | Promise<T>): T | Promise<T> {
    if (this.#tail === undefined) {
      const result = task();
      return result instanceof Promise ? this.#enqueue(result) : result;
    }
    return this.#enqueue(this.#tail.then(task, task));
  }

  #enqueue<T>(result: Promise<T>): Promise<T> {
    this.#waiting += 1;
    const settle = (): void => {
      this.#waiting -= 1;
      if (this.#tail === tail) this.#tail = undefined;
    };
    const tail = result.then(settle, settle);
    this.#tail = tail;
    return result;
  }
}

/** A serial queue for each key, such as the URI of a resource. */
export class SerialQueues {
  readonly #queues = new Map<string, SerialQueue>();

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(key) ?? new SerialQueue();
    this.#queues.set(key, queue);
    try {
      return await queue.run(task);
    } finally {
      if (queue.isIdle) this.#queues.delete(key);
    }
  }
}
