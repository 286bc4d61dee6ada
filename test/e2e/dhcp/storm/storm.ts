import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../../harness/eventually.ts';
import type { NetworkNamespace } from '../../../harness/namespaces/index.ts';
import type { ServerProcess } from '../../../harness/process.ts';

/** A client with a lease. */
export interface BoundClient {
  macAddress: number;
  address: string;
  /** Server that acknowledged the lease. */
  server: string;
}

export interface StormOptions {
  namespace: NetworkNamespace;
  folder: string;
  firstMac: number;
  count: number;
  /** Clients to start per millisecond. */
  pace: number;
}

/** Many DHCP clients that request a lease at the same time, in a separate process. */
export class Storm {
  readonly #count: number;
  readonly #process: ServerProcess;

  constructor({ namespace, folder, firstMac, count, pace }: StormOptions) {
    this.#count = count;
    // Broadcasts go to the only network, as from a client without an address.
    namespace.ip('route', 'replace', 'default', 'dev', 'eth0');
    const program = fileURLToPath(import.meta.resolve('./storm-clients.ts'));
    this.#process = namespace.process(process.execPath, [program, ...[firstMac, count, pace].map(String)], {
      log: join(folder, 'storm.log'),
    });
    this.#process.start();
  }

  /** The bound clients so far. */
  get bound(): BoundClient[] {
    return this.#process
      .logTail(Infinity)
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as BoundClient); // The output format of the program.
  }

  /** Resolves when `count` are bound. */
  async until(count: number, timeout: number): Promise<BoundClient[]> {
    return await eventually(
      () => {
        const bound = this.bound;
        if (bound.length >= count) return bound;
        throw new Error(`${bound.length} of ${this.#count} clients have a lease; ${this.#process.logTail(3)}`);
      },
      { timeout, interval: 5 },
    );
  }

  /** Resolves when all are bound. */
  async all(timeout: number): Promise<BoundClient[]> {
    return await this.until(this.#count, timeout);
  }

  async close(): Promise<void> {
    await this.#process.dispose();
  }
}
