import { join } from 'node:path';
import { type Clock, type Logger, sleep } from '@groundcrew/controller-runtime';
import type { LeaseTable } from './lease-table.ts';
import type { PoolTable } from '../pools/pool-table.ts';
import { readSnapshot, type Snapshot, writeSnapshot } from './snapshot-format.ts';

export interface SnapshotKeeperOptions {
  /** Folder that outlives the process. */
  directory: string;
  /** `namespace/name` of the net-attach-def. */
  network: string;
  pools: PoolTable;
  leases: LeaseTable;
  clock: Clock;
  logger: Logger;
}

/** Milliseconds between two snapshots at least, however much changes. */
const PERIOD = 10_000;

/** Keeps on disk what is served, for an agent that starts while the API server is away. */
export class SnapshotKeeper {
  readonly #options: SnapshotKeeperOptions;
  readonly #file: SnapshotFile;
  /** Of the leases, when the snapshot was taken. */
  #revision: number | undefined;
  #taken: number | undefined;
  #failed = false;

  constructor(options: SnapshotKeeperOptions) {
    this.#options = options;
    this.#file = new SnapshotFile(options.directory);
  }

  /** Milliseconds since the snapshot on disk was taken; undefined where there is none. */
  get age(): number | undefined {
    return this.#taken === undefined ? undefined : this.#options.clock.now() - this.#taken;
  }

  /** Fills the tables from the snapshot on disk. Returns whether there was one that could be used; never throws. */
  restore(): boolean {
    const { network, pools, leases, logger, clock } = this.#options;
    try {
      const snapshot = this.#file.read(network);
      if (snapshot === undefined) return false;
      if (typeof snapshot === 'string') {
        logger.warn({ reason: snapshot }, 'the snapshot of leases on disk is not used');
        return false;
      }
      for (const pool of snapshot.pools) pools.put(pool);
      leases.restore(snapshot.leases);
      this.#taken = snapshot.taken;
      this.#revision = leases.revision;
      const age = Math.round((clock.now() - snapshot.taken) / 1000);
      logger.warn(
        { leases: snapshot.leases.length, age },
        'the Kubernetes API does not answer: serving from the snapshot on disk until it does',
      );
      return true;
    } catch (error) {
      logger.warn({ err: error }, 'the snapshot of leases on disk cannot be read');
      return false;
    }
  }

  /** Takes snapshots of what changes until `signal` is aborted, and a last one then. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#write();
      await sleep(this.#options.clock, PERIOD, signal);
    }
    await this.#write();
  }

  async #write(): Promise<void> {
    const { network, pools, leases, clock, logger } = this.#options;
    const { revision } = leases;
    if (revision === this.#revision) return;
    const taken = clock.now();
    try {
      await this.#file.write({ network, taken, pools: [...pools.pools.values()], leases: leases.records });
      this.#revision = revision;
      this.#taken = taken;
      this.#failed = false;
    } catch (error) {
      if (!this.#failed) logger.warn({ err: error }, 'no snapshot of the leases can be written; trying on');
      this.#failed = true;
    }
  }
}

const FILE = 'leases.jsonl';

/** Where an agent keeps its snapshot: one file, which is replaced as a whole. */
export class SnapshotFile {
  readonly #path: string;

  constructor(directory: string) {
    this.#path = join(directory, FILE);
  }

  /**
   * @returns undefined where there is none, or in a sentence why it cannot be used
   * @throws Error of node:fs, where the file cannot be read
   */
  read(network: string): Snapshot | string | undefined {
    const { existsSync, readFileSync } = fileSystem();
    return existsSync(this.#path) ? readSnapshot(readFileSync(this.#path, 'utf8'), network) : undefined;
  }

  /**
   * Writes piece by piece, with turns for others between, and puts the file in its place when all of it is on the disk.
   *
   * @throws Error of node:fs; the snapshot before is still there then
   */
  async write(snapshot: Parameters<typeof writeSnapshot>[0]): Promise<void> {
    const { openSync, writeFileSync, closeSync, renameSync, fsync } = fileSystem();
    const draft = `${this.#path}.tmp`;
    const descriptor = openSync(draft, 'w', 0o600);
    try {
      for (const piece of writeSnapshot(snapshot)) {
        // Unlike writeSync it goes on where a disk that is nearly full took a part.
        writeFileSync(descriptor, piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await new Promise<void>((resolve, reject) => {
        fsync(descriptor, (error) => {
          if (error === null) resolve();
          else reject(error);
        });
      });
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, this.#path);
  }
}

/** An ESM import of node:fs loads its promises too: 3 MB that an agent has no use for. */
function fileSystem(): typeof import('node:fs') {
  return process.getBuiltinModule('node:fs');
}
