import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The folder of a journal's files. All methods throw the system's errors (`ENOSPC`, `EACCES`). */
export interface Disk {
  list(): string[];
  read(name: string): Buffer;
  /** Opens a file for appending; creates it if it does not exist. */
  append(name: string): AppendedFile;
  /** Renames a file; replaces an existing file atomically. */
  rename(name: string, next: string): void;
  remove(name: string): void;
  /** Syncs the folder: new, renamed and removed files are then safe from a power failure. */
  sync(): void;
  /** The full path of a file, for messages. */
  pathOf(name: string): string;
}

/** A file opened for appending. */
export interface AppendedFile {
  readonly size: number;
  /** Passes all bytes to the operating system. If it throws, a part may be written. */
  write(bytes: Uint8Array): void;
  truncate(size: number): void;
  /** Resolves when everything written before the call is safe from a power failure (fdatasync). */
  sync(): Promise<void>;
  /** The synchronous `sync`. */
  syncNow(): void;
  /** Closes the file, after a pending `sync` if there is one. */
  close(): void;
}

const sync = promisify(fdatasync);

/** A local folder with mode 0700; created if it does not exist. */
export class FolderDisk implements Disk {
  readonly #path: string;

  constructor(path: string) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    this.#path = path;
  }

  list(): string[] {
    return readdirSync(this.#path);
  }

  read(name: string): Buffer {
    return readFileSync(this.pathOf(name));
  }

  append(name: string): AppendedFile {
    return new NodeFile(openSync(this.pathOf(name), 'a', 0o600));
  }

  rename(name: string, next: string): void {
    renameSync(this.pathOf(name), this.pathOf(next));
  }

  remove(name: string): void {
    rmSync(this.pathOf(name), { force: true });
  }

  sync(): void {
    const folder = openSync(this.#path, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  }

  /** Writes a file atomically, and syncs it. */
  replace(name: string, text: string): void {
    const part = `${name}.part`;
    this.remove(part);
    const file = this.append(part);
    try {
      file.write(Buffer.from(text));
      file.syncNow();
    } finally {
      file.close();
    }
    this.rename(part, name);
    this.sync();
  }

  pathOf(name: string): string {
    return join(this.#path, name);
  }
}

class NodeFile implements AppendedFile {
  readonly #descriptor: number;
  #size: number;
  #syncs = 0;
  #closed = false;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    this.#size = fstatSync(descriptor).size;
  }

  get size(): number {
    return this.#size;
  }

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const written = writeSync(this.#descriptor, bytes, at);
      this.#size += written;
      at += written;
    }
  }

  truncate(size: number): void {
    ftruncateSync(this.#descriptor, size);
    this.#size = size;
  }

  async sync(): Promise<void> {
    this.#syncs += 1;
    try {
      await sync(this.#descriptor);
    } finally {
      this.#syncs -= 1;
      // Not earlier: the descriptor could belong to another file when the pending fdatasync runs.
      if (this.#closed && this.#syncs === 0) closeSync(this.#descriptor);
    }
  }

  syncNow(): void {
    fdatasyncSync(this.#descriptor);
  }

  close(): void {
    if (!this.#closed && this.#syncs === 0) closeSync(this.#descriptor);
    this.#closed = true;
  }
}

/** The data on disk cannot be used. The message names the file and is meant for the user. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code = 'Storage';
}
