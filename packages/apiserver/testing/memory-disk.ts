import { setImmediate as pause } from 'node:timers/promises';
import type { AppendedFile, Disk } from '../store/disk.ts';

/** What the program's end looks like from within. */
class Crash extends Error {
  override readonly name = 'Crash';
}

interface Content {
  bytes: Buffer;
  /** How much of it outlasts a power cut. */
  synced: number;
}

/** A disk that ends the program, or is full, at any byte and any step; and can be looked at afterwards. */
export class MemoryDisk implements Disk {
  #files: Map<string, Content>;
  /** The folder as it was after each step since it was synced; the first outlasts a power cut. */
  #folders: ReadonlyMap<string, Content>[];
  #steps = Infinity;
  #room = Infinity;
  #losesWrites = false;

  constructor(files: ReadonlyMap<string, Content> = new Map()) {
    this.#files = new Map(files);
    this.#folders = [new Map(files)];
  }

  /** Ends the program after that many bytes and steps. */
  crashAfter(steps: number): void {
    this.#steps = steps;
  }

  /** Is full after that many more bytes. */
  limit(room: number): void {
    this.#room = room;
  }

  /** The next sync of a file fails, and says so that once, as on Linux. */
  loseWrites(): void {
    this.#losesWrites = true;
  }

  get isDead(): boolean {
    return this.#steps === 0;
  }

  /** What another program finds after this one ended. */
  afterCrash(): MemoryDisk {
    return new MemoryDisk(new Map([...this.#files].map(([name, { bytes, synced }]) => [name, { bytes, synced }])));
  }

  /**
   * What is found after a power cut. `choose(most)` says, from 0 to `most`, how much of what was under way got through;
   * `zeros`: files have their length, and zeros where their bytes did not.
   */
  afterPowerCut(choose: (most: number) => number, zeros: boolean): MemoryDisk {
    const folder = this.#folders[choose(this.#folders.length - 1)] ?? new Map<string, Content>();
    const left = [...folder].map(([name, { bytes, synced }]) => {
      const kept = synced + choose(bytes.length - synced);
      const found = zeros
        ? Buffer.concat([bytes.subarray(0, kept), Buffer.alloc(bytes.length - kept)])
        : bytes.subarray(0, kept);
      return [name, { bytes: found, synced: found.length }] as const;
    });
    return new MemoryDisk(new Map(left));
  }

  /** Damages a file. */
  corrupt(name: string, change: (bytes: Buffer) => Buffer): void {
    const bytes = change(Buffer.from(this.read(name)));
    this.#files.set(name, { bytes, synced: bytes.length });
  }

  list(): string[] {
    return [...this.#files.keys()];
  }

  read(name: string): Buffer {
    return this.#content(name).bytes;
  }

  append(name: string): AppendedFile {
    this.#step();
    if (!this.#files.has(name)) this.#changeFolder((files) => files.set(name, { bytes: Buffer.alloc(0), synced: 0 }));
    const content = this.#content(name);
    const sync = (size: number): void => {
      this.#step();
      if (this.#losesWrites) {
        this.#losesWrites = false;
        throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
      }
      content.synced = Math.max(content.synced, Math.min(size, content.bytes.length));
    };
    return {
      get size() {
        return content.bytes.length;
      },
      write: (bytes) => {
        const room = Math.min(bytes.length, this.#steps, this.#room);
        content.bytes = Buffer.concat([content.bytes, bytes.subarray(0, room)]);
        this.#steps -= room;
        this.#room -= room;
        this.#step();
        if (room < bytes.length)
          throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      },
      truncate: (size) => {
        this.#step();
        content.bytes = content.bytes.subarray(0, size);
        content.synced = Math.min(content.synced, size);
      },
      sync: async () => {
        const size = content.bytes.length;
        await pause();
        sync(size);
      },
      syncNow: () => {
        sync(content.bytes.length);
      },
      close: () => undefined,
    };
  }

  rename(name: string, next: string): void {
    this.#step();
    const content = this.#content(name);
    this.#changeFolder((files) => {
      files.delete(name);
      files.set(next, content);
    });
  }

  remove(name: string): void {
    this.#step();
    this.#changeFolder((files) => files.delete(name));
  }

  sync(): void {
    this.#step();
    this.#folders = [new Map(this.#files)];
  }

  pathOf(name: string): string {
    return `/disk/${name}`;
  }

  #changeFolder(change: (files: Map<string, Content>) => unknown): void {
    change(this.#files);
    this.#folders.push(new Map(this.#files));
  }

  #content(name: string): Content {
    const content = this.#files.get(name);
    if (content === undefined) throw Object.assign(new Error(`ENOENT: no such file, ${name}`), { code: 'ENOENT' });
    return content;
  }

  #step(): void {
    if (this.#steps === 0) throw new Crash('the program has ended');
    this.#steps -= 1;
  }
}
