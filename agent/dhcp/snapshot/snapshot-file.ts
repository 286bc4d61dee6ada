import { join } from 'node:path';
import { readSnapshot, writeSnapshot, type Snapshot } from './snapshot-format.ts';

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
