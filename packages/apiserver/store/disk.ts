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

/** The folder that a journal keeps its files in. Calls throw what the operating system says (`ENOSPC`, `EACCES`). */
export interface Disk {
  list(): string[];
  read(name: string): Buffer;
  /** Opens a file to write at its end; makes it where it is not there. */
  append(name: string): AppendedFile;
  /** Takes the place of what has the new name, in one step. */
  rename(name: string, next: string): void;
  remove(name: string): void;
  /** Makes what was added, renamed and removed outlast a power cut. */
  sync(): void;
  /** How a person finds the file. */
  pathOf(name: string): string;
}

/** A file that grows. */
export interface AppendedFile {
  readonly size: number;
  /** When it returns, the operating system has all of it. When it throws, a part may be there. */
  write(bytes: Uint8Array): void;
  truncate(size: number): void;
  /** Resolves when what was written before the call outlasts a power cut. */
  sync(): Promise<void>;
  /** The same, in this call. */
  syncNow(): void;
  /** At once, or when a `sync` that is under way has ended. */
  close(): void;
}

const sync = promisify(fdatasync);

/** A folder of this machine, for its owner alone; made where it is not there. */
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

  /** Writes a file whole or not at all, and lasting. */
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
      // Not earlier: the number could be another file's by the time that the system is asked.
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

/** What is kept on disk cannot be used; the message is for the person whose folder it is, and names the file. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code = 'Storage';
}
