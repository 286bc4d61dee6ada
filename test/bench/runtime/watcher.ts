import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { memoryOf, processorTimeOf, socketsOf } from './process-facts.ts';
import type { Report } from './watchers/protocol.ts';

const PATIENCE = 120_000;

type Synced = Extract<Report, { report: 'synced' }>;

/** A process that follows all widgets, and prints when it has them and when it looks at one. */
export class Watcher {
  readonly #child: ChildProcess;
  readonly #pid: number;
  readonly #seen = new Map<string, number>();
  #synced: Synced | undefined;
  #tell = (): void => undefined;

  constructor(command: string, args: readonly string[]) {
    // No environment: a compile cache or options of this process would be theirs.
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
    this.#child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
    if (this.#child.pid === undefined || this.#child.stdout === null) throw new Error(`${command} cannot be run`);
    this.#pid = this.#child.pid;
    createInterface(this.#child.stdout).on('line', (line) => {
      // The children print this alone.
      const report = JSON.parse(line) as Report;
      if (report.report === 'synced') this.#synced = report;
      else if (!this.#seen.has(report.name)) this.#seen.set(report.name, report.at);
      this.#tell();
    });
  }

  /** What it said when it had all widgets. */
  async synced(): Promise<Synced> {
    return await this.#until(() => this.#synced, 'has all widgets');
  }

  /** When it first looked at a widget; milliseconds since 1970. */
  async seen(name: string): Promise<number> {
    return await this.#until(() => this.#seen.get(name), `has seen ${name}`);
  }

  get memory(): { resident: number; peak: number } {
    return memoryOf(this.#pid);
  }

  get processorTime(): number {
    return processorTimeOf(this.#pid);
  }

  get sockets(): number {
    return socketsOf(this.#pid);
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  async #until<T>(find: () => T | undefined, what: string): Promise<T> {
    const deadline = performance.now() + PATIENCE;
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (this.#child.exitCode !== null) throw new Error(`the watcher ended before it ${what}`);
      if (performance.now() > deadline) throw new Error(`no watcher that ${what} after ${PATIENCE} ms`);
      await this.#news();
    }
  }

  /** Resolves when it has said something, or ended, or a second has gone by. */
  async #news(): Promise<void> {
    await new Promise<void>((resolve) => {
      const impatience = setTimeout(resolve, 1000);
      this.#tell = () => {
        clearTimeout(impatience);
        resolve();
      };
    });
  }
}
