import { request } from 'node:https';
import type { Clock } from '@groundcrew/controller-runtime';

export interface SelfCheckOptions {
  addresses: readonly string[];
  port: () => number | undefined;
  clock: Clock;
}

/** Interval and timeout of checks in milliseconds. */
const PERIOD = 10_000;
const TIMEOUT = 2_000;

/** Periodically sends a request to the Redfish service of this process, like a client. */
export class SelfCheck {
  readonly #options: SelfCheckOptions;
  #timer: { cancel(): void } | undefined;
  #isStopped = false;
  #answers = false;

  constructor(options: SelfCheckOptions) {
    this.#options = options;
  }

  /** Whether the last request was answered on every address. */
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

/** Whether a GET of `/redfish`, which needs no log-in, succeeds. The certificate is not verified. */
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

/** The address to connect to for a socket that is bound to `address`. */
export function reachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  return address === '::' ? '::1' : address;
}
