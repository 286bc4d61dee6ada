import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { ServerProcess } from '../process.ts';

/** Names of all test namespaces, with the PID of the process that created them. */
const NAME = /^groundcrew-(\d+)-[0-9a-f]+$/;
const SETUP_TIMEOUT = 10_000;

export interface RunOptions {
  /** Milliseconds after which the program is killed and the call rejects; default 10,000. */
  timeout?: number;
}

export interface ProcessOptions {
  /** File for the output. */
  log: string;
  /** Environment; default: this process's environment. */
  env?: NodeJS.ProcessEnv;
  cwd?: string;
}

/**
 * A Linux network namespace with its own interfaces, addresses, routes and ports. Requires root. It and its processes
 * end with `close` or with this process; namespaces that a killed process left are removed by the next process.
 */
export class NetworkNamespace implements Disposable {
  readonly name = `groundcrew-${process.pid}-${randomBytes(4).toString('hex')}`;
  #isOpen = true;
  readonly #closeAtExit = (): void => {
    this.close();
  };

  constructor() {
    removeAbandoned();
    ip('netns', 'add', this.name);
    process.once('exit', this.#closeAtExit);
    this.ip('link', 'set', 'lo', 'up');
  }

  /** Runs `ip` in this namespace: `namespace.ip('addr', 'add', …)`. Throws ip's error message on failure. */
  ip(...args: string[]): string {
    return ip('-n', this.name, ...args);
  }

  /** Runs a program in the namespace and resolves with its standard output; rejects on failure or timeout. */
  async run(program: string, args: readonly string[], { timeout = 10_000 }: RunOptions = {}): Promise<string> {
    const { stdout } = await promisify(execFile)('ip', ['netns', 'exec', this.name, program, ...args], { timeout });
    return stdout;
  }

  /** Starts a long-running program in the namespace; the PID is the program's own. */
  process(program: string, args: readonly string[], { log, env, cwd }: ProcessOptions): ServerProcess {
    return new ServerProcess({
      command: 'ip',
      args: ['netns', 'exec', this.name, program, ...args],
      log,
      endsElsewhere: true,
      ...(env === undefined ? {} : { env }),
      ...(cwd === undefined ? {} : { cwd }),
    });
  }

  /** PIDs of the processes in the namespace. */
  pids(): number[] {
    return pidsIn(this.name);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Ends the processes in the namespace and removes it. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    process.removeListener('exit', this.#closeAtExit);
    remove(this.name);
  }
}

/** Why this process cannot create namespaces; undefined if it can. */
export function namespaceProblem(): string | undefined {
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  try {
    new NetworkNamespace().close();
    return undefined;
  } catch (error) {
    return `network namespaces cannot be made here: ${String(error)}`;
  }
}

function ip(...args: string[]): string {
  return execFileSync('ip', args, { encoding: 'utf8', timeout: SETUP_TIMEOUT, stdio: ['ignore', 'pipe', 'pipe'] });
}

function pidsIn(name: string): number[] {
  return ip('netns', 'pids', name).split('\n').filter(Boolean).map(Number);
}

function remove(name: string): void {
  for (const pid of pidsIn(name)) tryToKill(pid, 'SIGKILL');
  ip('netns', 'del', name);
}

/**
 * Several test processes may do this at the same time. A namespace that another process has already removed is fine.
 */
function removeAbandoned(): void {
  const names = ip('netns', 'list')
    .split('\n')
    .map((line) => line.split(' ')[0] ?? '');
  for (const name of names) {
    const owner = NAME.exec(name)?.[1];
    if (owner === undefined || tryToKill(Number(owner), 0)) continue;
    try {
      remove(name);
    } catch {
      continue;
    }
  }
}

/** Returns whether the process exists. */
function tryToKill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
