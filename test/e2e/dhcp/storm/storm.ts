import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../../harness/eventually.ts';
import type { NetworkNamespace } from '../../../harness/namespaces/index.ts';
import type { ServerProcess } from '../../../harness/process.ts';

/** A client that has got its lease. */
export interface BoundClient {
  macAddress: number;
  address: string;
  /** That it was acknowledged by. */
  server: string;
}

export interface StormOptions {
  namespace: NetworkNamespace;
  folder: string;
  firstMac: number;
  count: number;
  /** Clients that start in a millisecond. */
  pace: number;
}

/** Many clients that ask for a lease at once, in a process of their own. */
export class Storm {
  readonly #count: number;
  readonly #process: ServerProcess;

  constructor({ namespace, folder, firstMac, count, pace }: StormOptions) {
    this.#count = count;
    // To everybody on the one network there is, as a client without an address sends.
    namespace.ip('route', 'replace', 'default', 'dev', 'eth0');
    const program = fileURLToPath(import.meta.resolve('./storm-clients.ts'));
    this.#process = namespace.process(process.execPath, [program, ...[firstMac, count, pace].map(String)], {
      log: join(folder, 'storm.log'),
    });
    this.#process.start();
  }

  /** Those that are bound so far. */
  get bound(): BoundClient[] {
    return this.#process
      .logTail(Infinity)
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as BoundClient); // The program's own form.
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
