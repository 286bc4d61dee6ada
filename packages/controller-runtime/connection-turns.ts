import type { Agent } from 'node:http';

/** Of an agent of Node. */
interface Pool extends Pick<Agent, 'freeSockets'> {
  on: (event: 'free', listener: () => void) => unknown;
}

/** Connections that are made at a time. Node's API server of the tests accepts one in each turn of its event loop. */
const MOST = 4;

/**
 * The turns of requests to one server for its connections: only a few connections are made at a time, and a request that must wait takes
 * the first one that is free. Node gives a request its connection when it is sent, so that in a storm each of many requests would wait for
 * a new one, for which the server has no time, while others become free.
 */
export class ConnectionTurns {
  readonly #agent: Pool;
  readonly #waiting = new Set<() => void>();
  #making = 0;

  constructor(agent: Pool) {
    this.#agent = agent;
    // After Node's own listener, which has put the connection back.
    agent.on('free', () => {
      this.#wakeOne();
    });
  }

  /**
   * Resolves when the request may be sent, which must follow at once.
   *
   * @returns call it when the request has its connection, or has failed; more calls have no effect
   * @throws the reason of `signal`
   */
  async turn(signal: AbortSignal | undefined): Promise<() => void> {
    while (this.#making >= MOST && !this.#hasFree && signal?.aborted !== true) await this.#wait(signal);
    if (signal?.aborted === true) {
      this.#wakeOne();
      throw signal.reason;
    }
    this.#making += 1;
    let isMade = false;
    return () => {
      if (isMade) return;
      isMade = true;
      this.#making -= 1;
      this.#wakeOne();
    };
  }

  get #hasFree(): boolean {
    return Object.values(this.#agent.freeSockets).some((sockets) => (sockets?.length ?? 0) > 0);
  }

  /** Resolves at a chance, or when `signal` is aborted. */
  async #wait(signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = (): void => {
        this.#waiting.delete(end);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      this.#waiting.add(end);
      signal?.addEventListener('abort', end, { once: true });
      if (signal?.aborted === true) end();
    });
  }

  #wakeOne(): void {
    const [first] = this.#waiting;
    first?.();
  }
}
