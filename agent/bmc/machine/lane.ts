/**
 * Runs tasks one after the other, in the order in which they came; a task that fails does not stop those behind it.
 * All that an agent does to one VM goes through one lane: KubeVirt answers concurrent requests with 500.
 */
export class Lane {
  #last: Promise<unknown> = Promise.resolve();

  async run<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(task);
    this.#last = turn.catch(() => undefined);
    return await turn;
  }
}
