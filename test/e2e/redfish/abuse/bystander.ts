import { expect } from 'vitest';
import type { RedfishClient } from '../../../harness/sandbox/index.ts';

/** ms; far longer than a response takes on a loaded machine. A client that waits longer is not being served. */
const PATIENCE = 10_000;

/** A client with normal behaviour. */
export class Bystander {
  readonly #redfish: RedfishClient;

  constructor(redfish: RedfishClient) {
    this.#redfish = redfish;
  }

  /** Sends one request after the other while `abuse` runs, at least one; each must be answered. */
  async during<T>(abuse: () => Promise<T>): Promise<T> {
    const state = { isOver: false };
    const abused = abuse().finally(() => {
      state.isOver = true;
    });
    try {
      do await this.ask();
      while (!state.isOver);
    } finally {
      await abused;
    }
    return await abused;
  }

  /** @throws Error if the request is not answered */
  async ask(): Promise<void> {
    const timedOut = new Promise<never>((_resolve, reject) => {
      setTimeout(() => {
        reject(new Error(`the bystander was not answered within ${PATIENCE} ms`));
      }, PATIENCE).unref();
    });
    expect(await Promise.race([this.#redfish.get('/redfish/v1/Systems/1'), timedOut])).toMatchObject({ Id: '1' });
  }
}
