import { request } from 'node:https';
import type { CheckRounds } from './check-rounds.ts';

export interface SelfCheckOptions {
  addresses: readonly string[];
  port: () => number | undefined;
  checks: CheckRounds;
  /** Called when `answers` has changed. */
  onChange: () => void;
}

/** Interval and timeout of checks in milliseconds. */
const PERIOD = 10_000;
const TIMEOUT = 2_000;

/** Periodically sends a request to the Redfish service of this process, like a client. */
export class SelfCheck {
  readonly #options: SelfCheckOptions;
  #end: (() => void) | undefined;
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
    this.#end = this.#options.checks.add(() => this.#check(), PERIOD);
  }

  stop(): void {
    this.#isStopped = true;
    this.#end?.();
  }

  async #check(): Promise<void> {
    const { addresses, port, onChange } = this.#options;
    const answers = await Promise.all(addresses.map((address) => isAnswered(reachable(address), port())));
    if (this.#isStopped) return;
    const before = this.#answers;
    this.#answers = answers.every(Boolean);
    if (this.#answers !== before) onChange();
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
