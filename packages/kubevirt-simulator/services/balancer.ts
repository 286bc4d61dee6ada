import type { Endpoint } from './service-ports.ts';

/** Gives out backends in turn. */
export class Balancer {
  #backends: readonly Endpoint[] = [];
  #next = 0;

  get size(): number {
    return this.#backends.length;
  }

  set(backends: readonly Endpoint[]): void {
    this.#backends = backends;
  }

  has(backend: Endpoint): boolean {
    return isAmong(this.#backends, backend);
  }

  /** The next backend, or undefined where there is none. */
  pick(): Endpoint | undefined {
    if (this.#backends.length === 0) return undefined;
    this.#next = (this.#next + 1) % this.#backends.length;
    return this.#backends[this.#next];
  }
}

export function isAmong(backends: readonly Endpoint[], { address, port }: Endpoint): boolean {
  return backends.some((backend) => backend.address === address && backend.port === port);
}

/** A port that is open and passes on what comes to backends. */
export interface Proxy {
  /** Where it listens; with the port that the operating system chose where 0 was asked for. */
  readonly address: Endpoint;
  /**
   * What is under way to a backend that is no longer among them is moved or ended; what cannot be moved is left alone
   * while the backend is `draining`.
   */
  setBackends(backends: readonly Endpoint[], draining?: readonly Endpoint[]): void;
  close(): Promise<void>;
}
