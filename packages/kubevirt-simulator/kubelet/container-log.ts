import { closeSync, createReadStream, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** Bytes after which a file is rotated. Two files are kept, so a container's log is at most twice this size. */
const MAX_FILE = 5 * 1024 * 1024;
/** Characters after which a line is split. */
const MAX_LINE = 16 * 1024;
/** Lines that wait for a follower before it is disconnected. */
const MAX_BEHIND = 10_000;

/** One line that a container wrote. */
export interface LogLine {
  /** RFC 3339 with nanoseconds. */
  time: string;
  text: string;
}

/**
 * The output of one run of a container: lines with their times, in files of bounded size. Writes are synchronous, so
 * that a reader finds a line at once.
 */
export class ContainerLog {
  readonly #path: string;
  readonly #now: () => number;
  readonly #followers = new Set<(line: LogLine | undefined) => void>();
  #file: number | undefined;
  #isOver: boolean;
  #size = 0;

  private constructor(path: string, now: () => number, file: number | undefined) {
    this.#path = path;
    this.#now = now;
    this.#file = file;
    this.#isOver = file === undefined;
  }

  /** The log of a new run; an earlier log at the path is deleted. */
  static begin(path: string, now: () => number): ContainerLog {
    rmSync(`${path}.1`, { force: true });
    return new ContainerLog(path, now, openSync(path, 'w'));
  }

  /** The log of a run under an earlier kubelet. */
  static left(path: string): ContainerLog {
    return new ContainerLog(path, () => 0, undefined);
  }

  append(text: string): void {
    const time = new Date(this.#now()).toISOString().replace('Z', '000000Z');
    for (let at = 0; at === 0 || at < text.length; at += MAX_LINE)
      this.#write({ time, text: text.slice(at, at + MAX_LINE) });
  }

  /** The run is over; followers end. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    for (const tell of this.#followers) tell(undefined);
  }

  /** The lines at the time of the call, oldest first. */
  lines(): AsyncGenerator<LogLine, void> {
    const files = [`${this.#path}.1`, this.#path].map((path) => ({
      path,
      size: statSync(path, { throwIfNoEntry: false })?.size ?? 0,
    }));
    return (async function* () {
      for (const { path, size } of files) {
        if (size === 0) continue;
        const input = createReadStream(path, { end: size - 1 });
        for await (const record of createInterface({ input, crlfDelay: Infinity })) {
          const space = record.indexOf(' ');
          yield { time: record.slice(0, space), text: record.slice(space + 1) };
        }
      }
    })();
  }

  /** The lines from this call on, until the log ends or `signal` is aborted. */
  follow(signal: AbortSignal): AsyncGenerator<LogLine, void> {
    const waiting: (LogLine | undefined)[] = this.#isOver ? [undefined] : [];
    let wake = (): void => undefined;
    const tell = (line: LogLine | undefined): void => {
      waiting.push(waiting.length < MAX_BEHIND ? line : undefined);
      wake();
    };
    const stop = (): void => {
      tell(undefined);
    };
    this.#followers.add(tell);
    signal.addEventListener('abort', stop, { once: true });
    const forget = (): void => {
      this.#followers.delete(tell);
      signal.removeEventListener('abort', stop);
    };
    return (async function* () {
      try {
        while (!signal.aborted) {
          if (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
          const line = waiting.shift();
          if (line === undefined) return;
          yield line;
        }
      } finally {
        forget();
      }
    })();
  }

  #write(line: LogLine): void {
    if (this.#isOver) return;
    for (const tell of this.#followers) tell(line);
    const record = Buffer.from(`${line.time} ${line.text}\n`);
    try {
      // Undefined after a failed rotation.
      this.#file ??= openSync(this.#path, 'a');
      this.#size += writeSync(this.#file, record);
      if (this.#size > MAX_FILE) this.#rotate(this.#file);
    } catch {
      // On a full disk the line is lost for later readers; the program continues.
    }
  }

  #rotate(file: number): void {
    this.#file = undefined;
    this.#size = 0;
    closeSync(file);
    renameSync(this.#path, `${this.#path}.1`);
    this.#file = openSync(this.#path, 'w');
  }
}
