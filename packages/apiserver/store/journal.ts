import type { Logger } from '@groundcrew/controller-runtime';
import { StatusError } from '../status.ts';
import { type AppendedFile, type Disk, StorageError } from './disk.ts';
import { encodeHead, encodeRecord, type Entry } from './log-file.ts';
import { fileName, leftoversBefore, type Recovered } from './recover.ts';
import { writeSnapshot } from './write-snapshot.ts';

export interface JournalOptions {
  disk: Disk;
  logger: Logger;
  /** The journal is compacted when it exceeds this many bytes and twice the size of the last snapshot. Default 4 MiB. */
  compactAt?: number;
}

/**
 * The write-ahead log of the store: an append-only journal, and snapshots of all objects that replace older journals.
 * Each write is in the journal before the store notifies anyone.
 *
 * A write survives the end of the process, also SIGKILL, as soon as `append` returns. It survives a power failure after
 * the next fdatasync, which runs in the background for all writes since the last one: to wait for it would add the
 * latency of the disk to each write.
 */
export class Journal {
  readonly #disk: Disk;
  readonly #logger: Logger;
  readonly #compactAt: number;
  #file: AppendedFile;
  #generation: number;
  #snapshotSize: number;
  /** Set after a failure that makes the file's content unknown, and at close; all writes are then refused with it. */
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

  /**
   * Opens the journal for appending.
   *
   * @param recovered what `recover` has just read from the same disk
   * @throws StorageError if the disk cannot be written
   */
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

  /** @throws StatusError if the entry cannot be written; the journal then does not contain it */
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

  /** Whether the journal should be compacted. */
  get isLong(): boolean {
    return this.#compacting === undefined && this.#file.size > Math.max(this.#compactAt, 2 * this.#snapshotSize);
  }

  /**
   * Starts a new journal, and replaces the older ones with a snapshot in the background. A failure is logged and loses
   * nothing; call it again when `isLong` is true again.
   *
   * @param revision the last appended revision
   * @param present all objects at `revision`
   */
  compact(revision: number, present: Iterable<Entry>): void {
    this.#compacting ??= this.#rewrite(revision, present)
      .catch((error: unknown) => {
        this.#logger.warn({ err: error }, 'cannot compact the journal; trying again after later writes');
      })
      .finally(() => {
        this.#compacting = undefined;
      });
  }

  /** Resolves when no compaction and no sync is running. */
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

  /** Creates the next journal and directs appends to it. */
  #begin(generation: number, revision: number): void {
    const name = fileName('journal', generation);
    // Sync the old journal before the new one exists, so that a power failure leaves no gap between them.
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

  /** Refuses all writes after a failed sync: Linux drops the unwritten pages, so the file's content is unknown. */
  #giveUp(error: unknown): void {
    this.#broken ??= error;
    this.#logger.error({ err: error }, 'cannot sync the journal; all writes are refused until a restart');
  }

  /** If the undo fails, the file's content is unknown, and all writes are refused. */
  #undo(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#broken ??= error;
    }
  }
}

/** Uses etcd's message for a full disk, because clients know it. */
function refusal(cause: unknown): StatusError {
  const isFull = cause instanceof Error && 'code' in cause && (cause.code === 'ENOSPC' || cause.code === 'EDQUOT');
  const message = isFull ? 'etcdserver: mvcc: database space exceeded' : 'the write could not be stored';
  return new StatusError(500, '', `${message}: ${cause instanceof Error ? cause.message : String(cause)}`);
}
