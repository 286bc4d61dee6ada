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
