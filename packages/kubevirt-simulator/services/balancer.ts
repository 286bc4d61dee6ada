import type { Endpoint } from './service-ports.ts';

/** Chooses backends in turn. */
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

  /** The next backend; undefined without backends. */
  pick(): Endpoint | undefined {
    if (this.#backends.length === 0) return undefined;
    this.#next = (this.#next + 1) % this.#backends.length;
    return this.#backends[this.#next];
  }
}

export function isAmong(backends: readonly Endpoint[], { address, port }: Endpoint): boolean {
  return backends.some((backend) => backend.address === address && backend.port === port);
}

/** An open port whose traffic is forwarded to backends. */
export interface Proxy {
  /** The address that it listens on; port 0 is replaced by the chosen port. */
  readonly address: Endpoint;
  /** Ends or moves the traffic of other backends. Connections to a `draining` backend continue. */
  setBackends(backends: readonly Endpoint[], draining?: readonly Endpoint[]): void;
  close(): Promise<void>;
}
