import { join } from 'node:path';
import { type Clock, type Logger, sleep } from '@groundcrew/controller-runtime';
import type { LeaseTable } from './lease-table.ts';
import type { PoolTable } from '../pools/pool-table.ts';
import { readSnapshot, type Snapshot, writeSnapshot } from './snapshot-format.ts';

export interface SnapshotKeeperOptions {
  /** Folder that survives restarts of the process. */
  directory: string;
  /** `namespace/name` of the net-attach-def. */
  network: string;
  pools: PoolTable;
  leases: LeaseTable;
  clock: Clock;
  logger: Logger;
}

/** Minimum ms between two snapshots. */
const PERIOD = 10_000;

/** Saves the served leases on disk, for an agent that starts while the API server is down. */
export class SnapshotKeeper {
  readonly #options: SnapshotKeeperOptions;
  readonly #file: SnapshotFile;
  /** Revision of the leases in the snapshot. */
  #revision: number | undefined;
  #taken: number | undefined;
  #failed = false;

  constructor(options: SnapshotKeeperOptions) {
    this.#options = options;
    this.#file = new SnapshotFile(options.directory);
  }

  /** Age of the snapshot on disk in ms; undefined without a snapshot. */
  get age(): number | undefined {
    return this.#taken === undefined ? undefined : this.#options.clock.now() - this.#taken;
  }

  /** Fills the tables from the snapshot on disk. Returns whether there was a valid one; never throws. */
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

  /** Writes a snapshot after changes until `signal` is aborted, and a last one then. Never throws. */
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
      if (!this.#failed) logger.warn({ err: error }, 'the snapshot of leases cannot be written; trying again');
      this.#failed = true;
    }
  }
}

const FILE = 'leases.jsonl';

/** The file with an agent's snapshot. It is replaced as a whole. */
export class SnapshotFile {
  readonly #path: string;

  constructor(directory: string) {
    this.#path = join(directory, FILE);
  }

  /**
   * @returns the snapshot; a sentence that says why it is not usable; undefined if there is none
   * @throws Error of node:fs if the file cannot be read
   */
  read(network: string): Snapshot | string | undefined {
    const { existsSync, readFileSync } = fileSystem();
    return existsSync(this.#path) ? readSnapshot(readFileSync(this.#path, 'utf8'), network) : undefined;
  }

  /**
   * Writes in pieces, so that packets are handled in between, and renames the file when it is completely on disk.
   *
   * @throws Error of node:fs; the previous snapshot is still there
   */
  async write(snapshot: Parameters<typeof writeSnapshot>[0]): Promise<void> {
    const { openSync, writeFileSync, closeSync, renameSync, fsync } = fileSystem();
    const draft = `${this.#path}.tmp`;
    const descriptor = openSync(draft, 'w', 0o600);
    try {
      for (const piece of writeSnapshot(snapshot)) {
        // Unlike writeSync, it continues after a partial write to a nearly full disk.
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

/** An ESM import of node:fs also loads its promise API: 3 MB that an agent does not need. */
function fileSystem(): typeof import('node:fs') {
  return process.getBuiltinModule('node:fs');
}
