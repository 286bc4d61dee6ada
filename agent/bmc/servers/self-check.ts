import { request } from 'node:https';
import type { Clock } from '@groundcrew/controller-runtime';

export interface SelfCheckOptions {
  addresses: readonly string[];
  port: () => number | undefined;
  clock: Clock;
}

/** Milliseconds between two, and for an answer to come. */
const PERIOD = 10_000;
const TIMEOUT = 2_000;

/** Asks a Redfish service of this process now and then whether it is there, the way that clients do. */
export class SelfCheck {
  readonly #options: SelfCheckOptions;
  #timer: { cancel(): void } | undefined;
  #isStopped = false;
  #answers = false;

  constructor(options: SelfCheckOptions) {
    this.#options = options;
  }

  /** Whether it answered last on every address. */
  get answers(): boolean {
    return this.#answers;
  }

  start(): void {
    void this.#check();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  async #check(): Promise<void> {
    const { addresses, port, clock } = this.#options;
    const answers = await Promise.all(addresses.map((address) => isAnswered(reachable(address), port())));
    if (this.#isStopped) return;
    this.#answers = answers.every(Boolean);
    this.#timer = clock.setTimeout(() => void this.#check(), PERIOD);
  }
}

/** Whether `/redfish`, which asks for no log-in, is found. Whose certificate is shown is no question: it is ours. */
function isAnswered(host: string, port: number | undefined): Promise<boolean> {
  if (port === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const options = { host, port, path: '/redfish', agent: false, rejectUnauthorized: false, timeout: TIMEOUT };
    const asked = request(options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => {
      resolve(false);
    });
    asked.on('close', () => {
      resolve(false);
    });
    asked.end();
  });
}

/** Where a socket that is bound to all addresses can be reached. */
export function reachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  return address === '::' ? '::1' : address;
}
