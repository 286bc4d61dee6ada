import { expect } from 'vitest';
import type { RedfishClient } from '../../../harness/sandbox/index.ts';

/** ms; far beyond what a busy machine takes, and a client that waits so long is not being served */
const PATIENCE = 10_000;

/** A client that wants no more than others do. */
export class Bystander {
  readonly #redfish: RedfishClient;

  constructor(redfish: RedfishClient) {
    this.#redfish = redfish;
  }

  /** Asks for one thing after the other for as long as `abuse` goes on, at least once, and is answered each time. */
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

  /** @throws Error where it is not served */
  async ask(): Promise<void> {
    const timedOut = new Promise<never>((_resolve, reject) => {
      setTimeout(() => {
        reject(new Error(`the bystander was not answered within ${PATIENCE} ms`));
      }, PATIENCE).unref();
    });
    expect(await Promise.race([this.#redfish.get('/redfish/v1/Systems/1'), timedOut])).toMatchObject({ Id: '1' });
  }
}
