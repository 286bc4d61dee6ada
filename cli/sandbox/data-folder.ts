import { chmodSync, existsSync, mkdirSync, readdirSync, closeSync, openSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { FolderDisk } from '@groundcrew/apiserver';

/** A folder cannot be used as data folder. The message is meant for the user. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
  readonly code = 'DataFolder';
}

/** The options that a sandbox was created with. Creation happens once per data folder. */
interface Origin {
  vms: number;
  ipmiPort: number;
  /** The objects that were created from manifests. */
  manifests: readonly string[];
}

/** This file marks a folder as a data folder of a sandbox. */
const FILE = 'sandbox.json';
const PROGRAM = 'groundcrew sandbox';
/** Version of the folder layout; the files in it have their own formats. */
const FORMAT = 1;

interface Content {
  format: number;
  /** PID of the current or last process that uses the folder. */
  pid: number;
  origin?: Origin;
}

/** The data folder of a sandbox, locked by this process. */
export class DataFolder {
  readonly path: string;
  /** Whether the folder was used by a sandbox before. */
  readonly isUsed: boolean;
  readonly #disk: FolderDisk;
  readonly #lock: FolderLock;
  #origin: Origin | undefined;

  private constructor(disk: FolderDisk, path: string, lock: FolderLock, before: Content | undefined) {
    this.#disk = disk;
    this.path = path;
    this.#lock = lock;
    this.isUsed = before !== undefined;
    this.#origin = before?.origin;
  }

  /** Opens a folder and creates it if it is missing. @throws DataFolderError */
  static async open(name: string): Promise<DataFolder> {
    const path = resolve(name);
    const { disk, before, lock } = await claim(path).catch((cause: unknown) => {
      if (cause instanceof DataFolderError) throw cause;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new DataFolderError(`--data-dir: ${path} cannot be used: ${why}. Choose another folder.`, { cause });
    });
    const folder = new DataFolder(disk, path, lock, before);
    try {
      folder.#write();
      return folder;
    } catch (error) {
      folder.close();
      throw error;
    }
  }

  /** The options that the sandbox was created with; undefined before the creation is complete. */
  get origin(): Origin | undefined {
    return this.#origin;
  }

  /** Records that all objects of the origin have been created. @throws DataFolderError */
  setOrigin(origin: Origin): void {
    this.#origin = origin;
    this.#write();
  }

  /** The content of a file; undefined if it does not exist. */
  read(name: string): string | undefined {
    return this.#disk.list().includes(name) ? this.#disk.read(name).toString('utf8') : undefined;
  }

  /** Writes a file atomically, readable only by its owner. @throws DataFolderError */
  write(name: string, text: string): void {
    if (this.read(name) === text) return;
    try {
      this.#disk.replace(name, text);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new DataFolderError(`--data-dir: ${join(this.path, name)} cannot be written: ${why}.`, { cause });
    }
  }

  close(): void {
    this.#lock.release();
  }

  #write(): void {
    const content = { program: PROGRAM, format: FORMAT, pid: process.pid, origin: this.#origin };
    this.write(FILE, `${JSON.stringify(content, undefined, 2)}\n`);
  }
}

async function claim(path: string): Promise<{ disk: FolderDisk; before: Content | undefined; lock: FolderLock }> {
  makeFolder(path);
  const names = readdirSync(path);
  const disk = new FolderDisk(path);
  // A sandbox that was killed during its start leaves only a lock file.
  if (!names.includes(FILE) && names.some((name) => name !== 'lock' && !name.startsWith(FILE))) {
    throw new DataFolderError(
      `--data-dir: ${path} holds other files, and no sandbox. Choose an empty folder, or a new one.`,
    );
  }
  const contentOf = (): Content | undefined =>
    disk.list().includes(FILE) ? parse(disk.read(FILE).toString('utf8'), path) : undefined;
  const before = contentOf();
  chmodSync(path, 0o700);
  const lock = await lockFolder(path);
  // Read the file again: the previous owner of the lock may have written it.
  if (lock !== undefined) return { disk, before: contentOf(), lock };
  const who = before === undefined ? '' : ` (process ${before.pid})`;
  throw new DataFolderError(
    `--data-dir: ${path} is in use by another sandbox${who}. Stop that one, or choose another folder.`,
  );
}

/**
 * Creates parent folders too. Node's `recursive` option loops forever if a file system returns ENOENT, as /proc does.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

function parse(text: string, path: string): Content {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  // `write` stores the content together with the program name.
  const content = value as (Content & { program: string }) | undefined;
  if (content?.program !== PROGRAM || typeof content.format !== 'number') {
    throw new DataFolderError(
      `--data-dir: ${join(path, FILE)} was not written by a sandbox, or is damaged. Choose another folder.`,
    );
  }
  if (content.format > FORMAT) {
    const versions = `format ${content.format}; this one knows ${FORMAT}`;
    throw new DataFolderError(`--data-dir: ${path} was written by a later version of Groundcrew (${versions}).`);
  }
  return content;
}

interface FolderLock {
  release(): void;
}

/** SQLITE_BUSY: another process holds the lock. */
const BUSY = 5;

/**
 * Locks a folder for this process; undefined if another process holds the lock. The operating system releases the lock
 * when the process ends, also after a crash. Node has no flock(2), so the lock is the one that SQLite holds on a
 * database.
 *
 * Rejects if the folder is not writable.
 */
async function lockFolder(folder: string): Promise<FolderLock | undefined> {
  const path = join(folder, 'lock');
  closeSync(openSync(path, 'a', 0o600));
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === BUSY) return undefined;
    throw error;
  }
  return {
    release: () => {
      database.close();
    },
  };
}
