import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface ProcessOptions {
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
  directory: string;
  onLine: (line: string) => void;
}

/**
 * One running program. It has its own process group, so that a Ctrl-C at the terminal of the sandbox does not reach it
 * before the sandbox stops it. Its standard input is a pipe that the sandbox never writes to. The pipe closes when the
 * sandbox ends, even by SIGKILL, and with GROUNDCREW_EXIT_WITH_PARENT=1 the program then ends too.
 */
export class ContainerProcess {
  readonly #child: ChildProcess;
  /** Resolves with the exit code, or 128 + n after signal n, when the program has ended and its output has been read. */
  readonly exited: Promise<number>;

  private constructor(child: ChildProcess, exited: Promise<number>) {
    this.#child = child;
    this.exited = exited;
  }

  /** Starts the program. Rejects if it cannot be started (`ENOENT`, `EACCES`). */
  static async start(options: ProcessOptions): Promise<ContainerProcess> {
    const [program = '', ...args] = options.command;
    const child = spawn(program, args, {
      cwd: options.directory,
      env: { ...options.environment, GROUNDCREW_SANDBOX: '1', GROUNDCREW_EXIT_WITH_PARENT: '1' },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    // A program may close its standard input early.
    child.stdin.on('error', () => undefined);
    readLines(child.stdout, options.onLine);
    readLines(child.stderr, options.onLine);
    const exited = new Promise<number>((resolve) => {
      child.once('close', (code, signal) => {
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
      });
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve).once('error', reject);
    });
    child.on('error', () => undefined);
    return new ContainerProcess(child, exited);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Sends a signal to the process group, if it still exists. */
  kill(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

function readLines(stream: Readable, onLine: (line: string) => void): void {
  createInterface({ input: stream, crlfDelay: Infinity }).on('line', onLine);
}
