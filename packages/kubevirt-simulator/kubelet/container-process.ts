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

/** How a program ended: its exit code, or 128 + n where signal n ended it, as a shell and a container runtime say it. */
export interface Exit {
  exitCode: number;
  signal: NodeJS.Signals | undefined;
}

/**
 * One running program. It leads a process group of its own, so that a Ctrl-C at the sandbox's terminal does not
 * reach it: the sandbox stops it in its own order. Its standard input is a pipe that the sandbox holds open and never
 * writes to: it ends when the sandbox does, even by SIGKILL, and the program is to end with it (it is told by
 * GROUNDCREW_EXIT_WITH_PARENT=1).
 */
export class ContainerProcess {
  readonly #child: ChildProcess;
  /** Resolves when the program has ended and all of its output has been read. */
  readonly exited: Promise<Exit>;

  private constructor(child: ChildProcess, exited: Promise<Exit>) {
    this.#child = child;
    this.exited = exited;
  }

  /** Starts the program. Rejects where it cannot be started (`ENOENT`, `EACCES`). */
  static async start(options: ProcessOptions): Promise<ContainerProcess> {
    const [program = '', ...args] = options.command;
    const child = spawn(program, args, {
      cwd: options.directory,
      env: { ...options.environment, GROUNDCREW_SANDBOX: '1', GROUNDCREW_EXIT_WITH_PARENT: '1' },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    // A program that closes its standard input early is no error.
    child.stdin.on('error', () => undefined);
    readLines(child.stdout, options.onLine);
    readLines(child.stderr, options.onLine);
    const exited = new Promise<Exit>((resolve) => {
      child.once('close', (code, signal) => {
        resolve({ exitCode: code ?? 128 + numberOf(signal), signal: signal ?? undefined });
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

  /** Sends a signal to the program and all that it has started; nothing when they are gone. */
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

function numberOf(signal: NodeJS.Signals | null): number {
  return signal === null ? 0 : constants.signals[signal];
}
