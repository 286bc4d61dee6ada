import type { RedfishState, RedfishStateStore } from '../redfish/state.ts';

/** A {@link RedfishStateStore} that ends with the process. */
export class MemoryRedfishState implements RedfishStateStore {
  #state: RedfishState = {};
  /** Thrown by the next change, once. */
  nextError: Error | undefined;

  current(): RedfishState {
    return this.#state;
  }

  // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
  async change(edit: (stored: RedfishState) => Partial<RedfishState>): Promise<void> {
    const error = this.nextError;
    this.nextError = undefined;
    if (error !== undefined) throw error;
    this.#state = { ...this.#state, ...edit(this.#state) };
  }
}
