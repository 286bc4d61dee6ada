import { setImmediate as pause } from 'node:timers/promises';
import type { AppendedFile, Disk } from '../store/disk.ts';

/** Thrown by every disk operation after the simulated crash of the process. */
class Crash extends Error {
  override readonly name = 'Crash';
}

interface Content {
  bytes: Buffer;
  /** The number of bytes that are safe from a power failure. */
  synced: number;
}

/** An in-memory disk that can crash, be full or lose power at any byte and any step. */
export class MemoryDisk implements Disk {
  #files: Map<string, Content>;
  /** The folder at its last sync, and after each step since. After a power failure, one of these is found. */
  #folders: ReadonlyMap<string, Content>[];
  #steps = Infinity;
  #room = Infinity;
  #losesWrites = false;

  constructor(files: ReadonlyMap<string, Content> = new Map()) {
    this.#files = new Map(files);
    this.#folders = [new Map(files)];
  }

  /** Crashes after `steps` written bytes and operations. */
  crashAfter(steps: number): void {
    this.#steps = steps;
  }

  /** Is full after `room` more bytes. */
  limit(room: number): void {
    this.#room = room;
  }

  /** Fails the next sync of a file with EIO, and only that one, as Linux does. */
  loseWrites(): void {
    this.#losesWrites = true;
  }

  get isDead(): boolean {
    return this.#steps === 0;
  }

  /** The disk after a crash of the process. */
  afterCrash(): MemoryDisk {
    return new MemoryDisk(new Map([...this.#files].map(([name, { bytes, synced }]) => [name, { bytes, synced }])));
  }

  /**
   * The disk after a power failure.
   *
   * @param choose returns a number from 0 to `most`: how much of the unsynced data and steps survives
   * @param zeros whether files keep their length, with zeros in place of the lost bytes
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
    if (this.#steps === 0) throw new Crash('the process has crashed');
    this.#steps -= 1;
  }
}
