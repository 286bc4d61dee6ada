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
