/** Lets one write at a time at each resource: what a client compared its ETag with is what it changes. */
export class WriteQueue {
  readonly #last = new Map<string, Promise<void>>();

  /** Calls `work` when all that was asked for before at the same resource is done. */
  async run<T>(uri: string, work: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const before = this.#last.get(uri);
    this.#last.set(uri, promise);
    try {
      await before;
      return await work();
    } finally {
      if (this.#last.get(uri) === promise) this.#last.delete(uri);
      resolve(undefined);
    }
  }
}
