import type { Logger } from '@groundcrew/controller-runtime';
import { StatusError } from '../status.ts';
import { type AppendedFile, type Disk, StorageError } from './disk.ts';
import { encodeHead, encodeRecord, type Entry } from './log-file.ts';
import { fileName, leftoversBefore, type Recovered } from './recover.ts';
import { writeSnapshot } from './write-snapshot.ts';

export interface JournalOptions {
  disk: Disk;
  logger: Logger;
  /** Bytes after which a journal is compacted, unless the snapshot before it is larger than half of that. Default 4 MiB. */
  compactAt?: number;
}

/**
 * The committed writes in files, each there before anybody hears of it: an append-only journal, and from time to time
 * a snapshot of all objects, with which an earlier journal ends and a new one begins.
 *
 * What `append` returned from survives the end of this process, however it ends. That it survives a power cut too is
 * seen to in the background, all at once that was written meanwhile: waiting for that would cost each write the time of a disk.
 */
export class Journal {
  readonly #disk: Disk;
  readonly #logger: Logger;
  readonly #compactAt: number;
  #file: AppendedFile;
  #generation: number;
  #snapshotSize: number;
  /** Why nothing can be written any more. */
  #broken: unknown;
  #syncing: Promise<void> | undefined;
  #unsynced = false;
  #compacting: Promise<void> | undefined;
  #closed = false;

  private constructor(options: JournalOptions, file: AppendedFile, { last, snapshotSize }: Recovered) {
    this.#disk = options.disk;
    this.#logger = options.logger;
    this.#compactAt = options.compactAt ?? 4 * 1024 * 1024;
    this.#file = file;
    this.#generation = last.generation;
    this.#snapshotSize = snapshotSize;
  }

  /** Takes up the journal where `recovered`, which was read from the disk just now, says that it ends. @throws StorageError */
  static open(options: JournalOptions, recovered: Recovered): Journal {
    const { disk } = options;
    const { last, leftovers, revision } = recovered;
    const name = fileName('journal', last.generation);
    let file: AppendedFile | undefined;
    try {
      file = disk.append(name);
      if (last.torn) file.truncate(last.size);
      if (last.size === 0) file.write(encodeHead({ kind: 'journal', generation: last.generation, revision }));
      for (const leftover of leftovers) disk.remove(leftover);
      disk.sync();
      return new Journal(options, file, recovered);
    } catch (cause) {
      file?.close();
      throw new StorageError(`${disk.pathOf(name)} cannot be written: ${String(cause)}`, { cause });
    }
  }

  /** @throws StatusError where it cannot be written; then it is as if it had not been tried */
  append(entry: Entry): void {
    if (this.#broken !== undefined) throw refusal(this.#broken);
    const { size } = this.#file;
    try {
      this.#file.write(encodeRecord(entry));
    } catch (cause) {
      this.#undo(() => {
        this.#file.truncate(size);
      });
      throw refusal(cause);
    }
    this.#unsynced = true;
    this.#syncing ??= this.#sync();
  }

  /** Whether the journal has become so long that it should be compacted. */
  get isLong(): boolean {
    return this.#compacting === undefined && this.#file.size > Math.max(this.#compactAt, 2 * this.#snapshotSize);
  }

  /**
   * Begins a new journal, and replaces those before it by a snapshot in the background. `present`: what is there at
   * `revision`, the last one appended. Where that fails, the files stay as they are and it is tried again in time.
   */
  compact(revision: number, present: Iterable<Entry>): void {
    this.#compacting ??= this.#rewrite(revision, present)
      .catch((error: unknown) => {
        this.#logger.warn({ err: error }, 'the journal could not be compacted; it is tried again when it has grown');
      })
      .finally(() => {
        this.#compacting = undefined;
      });
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.#compacting;
    await this.#syncing;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#broken ??= new Error('the server is shutting down');
    await this.settled();
    this.#file.close();
  }

  async #sync(): Promise<void> {
    try {
      while (this.#unsynced) {
        this.#unsynced = false;
        await this.#file.sync();
      }
    } catch (error) {
      this.#giveUp(error);
    } finally {
      this.#syncing = undefined;
    }
  }

  async #rewrite(revision: number, present: Iterable<Entry>): Promise<void> {
    const generation = this.#generation + 1;
    this.#begin(generation, revision);
    const isClosed = (): boolean => this.#closed;
    const size = await writeSnapshot({ disk: this.#disk, generation, revision, present, isClosed });
    if (size === undefined) return;
    this.#snapshotSize = size;
    for (const name of leftoversBefore(this.#disk.list(), generation)) this.#disk.remove(name);
    this.#disk.sync();
  }

  /** Lets appends go to a new journal. */
  #begin(generation: number, revision: number): void {
    const name = fileName('journal', generation);
    // Whole on the disk before another one follows: no power cut leaves a hole between the two.
    try {
      this.#file.syncNow();
    } catch (error) {
      this.#giveUp(error);
      throw error;
    }
    let file: AppendedFile | undefined;
    try {
      file = this.#disk.append(name);
      file.write(encodeHead({ kind: 'journal', generation, revision }));
      file.syncNow();
      this.#disk.sync();
    } catch (error) {
      file?.close();
      this.#undo(() => {
        this.#disk.remove(name);
      });
      throw error;
    }
    this.#file.close();
    this.#file = file;
    this.#generation = generation;
  }

  /** After a sync that failed: Linux forgets what it could not write, and from here on nobody knows what is there. */
  #giveUp(error: unknown): void {
    this.#broken ??= error;
    this.#logger.error({ err: error }, 'the journal cannot be written any more; all writes are refused');
  }

  /** After an undoing that failed nobody knows what is there. */
  #undo(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#broken ??= error;
    }
  }
}

/** In the words of etcd, where it has any: clients know them. */
function refusal(cause: unknown): StatusError {
  const isFull = cause instanceof Error && 'code' in cause && (cause.code === 'ENOSPC' || cause.code === 'EDQUOT');
  const message = isFull ? 'etcdserver: mvcc: database space exceeded' : 'the write could not be stored';
  return new StatusError(500, '', `${message}: ${cause instanceof Error ? cause.message : String(cause)}`);
}
