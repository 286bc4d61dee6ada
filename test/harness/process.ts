import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, closeSync, existsSync, openSync, readFileSync } from 'node:fs';

export interface ProcessOptions {
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** File for standard output and error. */
  log: string;
  /** Another component ends it when this process exits; default false. */
  endsElsewhere?: boolean;
}

const endWithThis = new Set<ServerProcess>();
// One listener for all: Node takes an eleventh for a leak.
process.once('exit', () => {
  for (const server of endWithThis) server.signal('SIGKILL');
});

/** A child process that ends with this process. Its output is kept for the report of a failure. */
export class ServerProcess {
  readonly #options: ProcessOptions;
  #child: ChildProcess | undefined;
  #ended: Promise<number | null> = Promise.resolve(null);

  constructor(options: ProcessOptions) {
    this.#options = options;
    if (options.endsElsewhere !== true) endWithThis.add(this);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): void {
    if (this.#child !== undefined) throw new Error(`${this.#options.command} runs already`);
    const { command, args, env, cwd, log } = this.#options;
    // A file, not a pipe: children of the program could keep a pipe open after its end.
    const output = openSync(log, 'a');
    const child = spawn(command, args, { stdio: ['ignore', output, output], env: env ?? process.env, cwd });
    closeSync(output);
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      const end = (code: number | null) => {
        this.#child = undefined;
        resolve(code);
      };
      child.once('exit', end);
      // The program cannot be started, so no exit event follows.
      child.once('error', (error) => {
        appendFileSync(log, `${error.message}\n`);
        end(null);
      });
    });
  }

  /**
   * Sends a signal and, after ten seconds, SIGKILL. Resolves when the process has ended, with its exit code; null if a
   * signal ended it or it was not running.
   */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const child = this.#child;
    if (child === undefined) return null;
    child.kill(signal);
    const impatience = setTimeout(() => child.kill('SIGKILL'), 10_000);
    const code = await this.#ended;
    clearTimeout(impatience);
    return code;
  }

  /** Sends a signal to the process if it runs. */
  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Resolves when the process has ended, with the exit code of its last run; null if a signal ended it. */
  async ended(): Promise<number | null> {
    return await this.#ended;
  }

  /** Resolves when `ready` does not throw; throws with the end of the log on timeout. */
  async waitUntil(ready: () => Promise<void>, timeout: number): Promise<void> {
    const deadline = Date.now() + timeout;
    for (;;) {
      try {
        await ready();
        return;
      } catch (cause) {
        if (this.#child === undefined || Date.now() > deadline) {
          const state = this.#child === undefined ? 'ended' : `is not ready after ${timeout} ms`;
          throw new Error(`${this.#options.command} ${state}\n${this.logTail()}`, { cause });
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** The last lines of the process's output. */
  logTail(lines = 40): string {
    const { log } = this.#options;
    return existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(-lines).join('\n') : '';
  }

  /** Stops the process, which does not end with this process any more if it is started again. */
  async dispose(): Promise<void> {
    await this.stop('SIGKILL');
    endWithThis.delete(this);
  }
}
