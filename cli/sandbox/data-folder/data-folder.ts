import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { FolderDisk } from '@groundcrew/apiserver';
import { lockFolder, type FolderLock } from './folder-lock.ts';

/** A folder cannot be used for a sandbox's data; the message is for the person who named it. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
  readonly code = 'DataFolder';
}

/** What a sandbox was made with, which is done once in its life. */
export interface Origin {
  vms: number;
  ipmiPort: number;
  /** The objects that were made from manifests. */
  manifests: readonly string[];
}

/** By which the folder is known to be a sandbox's. */
const FILE = 'sandbox.json';
const PROGRAM = 'groundcrew sandbox';
/** Of the folder as a whole; its parts have formats of their own. */
const FORMAT = 1;

interface Content {
  format: number;
  /** Of the process that has, or had, the folder. */
  pid: number;
  origin?: Origin;
}

/** The folder that a sandbox is kept in, held for this process alone. */
export class DataFolder {
  readonly path: string;
  /** Whether a sandbox was begun in it before. */
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

  /** Opens a folder, which is made where it is not there. @throws DataFolderError */
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

  /** What the sandbox was made with; undefined where that is not done yet. */
  get origin(): Origin | undefined {
    return this.#origin;
  }

  /** Notes that all that the origin names has been made. @throws DataFolderError */
  setOrigin(origin: Origin): void {
    this.#origin = origin;
    this.#write();
  }

  /** The text of a file; undefined where it is not there. */
  read(name: string): string | undefined {
    return this.#disk.list().includes(name) ? this.#disk.read(name).toString('utf8') : undefined;
  }

  /** Writes a file for its owner alone, whole or not at all. @throws DataFolderError */
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
  // A sandbox that was killed as it began has no more than a lock there.
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
  // Anew: whoever had the lock until now may have written it.
  if (lock !== undefined) return { disk, before: contentOf(), lock };
  const who = before === undefined ? '' : ` (process ${before.pid})`;
  throw new DataFolderError(
    `--data-dir: ${path} is in use by another sandbox${who}. Stop that one, or choose another folder.`,
  );
}

/** With those above it. Node's own `recursive` never ends where a file system refuses with ENOENT, as /proc does. */
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
  // Written by `write` below its program's name.
  const content = value as (Content & { program: string }) | undefined;
  if (content?.program !== PROGRAM || typeof content.format !== 'number') {
    throw new DataFolderError(`--data-dir: ${join(path, FILE)} is no sandbox's, or damaged. Choose another folder.`);
  }
  if (content.format > FORMAT) {
    const versions = `format ${content.format}; this one knows ${FORMAT}`;
    throw new DataFolderError(`--data-dir: ${path} was written by a later version of Groundcrew (${versions}).`);
  }
  return content;
}
