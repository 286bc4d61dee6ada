/**
 * Runs tasks one at a time in the order they came. A task that needs no waiting runs and answers at once, so that the
 * common request costs no promise.
 */
export class SerialQueue {
  readonly #limit: number;
  #tail: Promise<unknown> | undefined;
  #waiting = 0;

  /** @param limit tasks that may wait or run at once; beyond them the queue is full */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#waiting >= this.#limit;
  }

  /** Rejects or throws as `task` does; the tasks behind it run all the same. */
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
