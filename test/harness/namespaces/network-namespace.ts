import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { ServerProcess } from '../process.ts';

/** Names of all that tests make, with the process that made it. */
const NAME = /^groundcrew-(\d+)-[0-9a-f]+$/;
const SETUP_TIMEOUT = 10_000;

export interface RunOptions {
  /** Milliseconds after which the program is killed and the call rejects; default 10,000. */
  timeout?: number;
}

export interface ProcessOptions {
  /** File that takes what it writes. */
  log: string;
  /** Its environment; default: this process' own. */
  env?: NodeJS.ProcessEnv;
  cwd?: string;
}

/**
 * A network namespace of the kernel: interfaces, addresses, routes and ports of its own. It needs root. It ends with
 * `close` or with this process, and what runs in it ends too; one that a killed process left is removed by the next.
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

  /** Runs `ip` on this namespace: `namespace.ip('addr', 'add', …)`. Throws what ip says where it fails. */
  ip(...args: string[]): string {
    return ip('-n', this.name, ...args);
  }

  /** Runs a program in it to its end, and resolves with its standard output; rejects where it fails or takes too long. */
  async run(program: string, args: readonly string[], { timeout = 10_000 }: RunOptions = {}): Promise<string> {
    const { stdout } = await promisify(execFile)('ip', ['netns', 'exec', this.name, program, ...args], { timeout });
    return stdout;
  }

  /** A program that is to go on running in it; its process id is the program's own. */
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

  /** Of the processes that run in it. */
  pids(): number[] {
    return pidsIn(this.name);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Ends what runs in it and removes it. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    process.removeListener('exit', this.#closeAtExit);
    remove(this.name);
  }
}

/** Why this process cannot make namespaces; undefined where it can. */
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

/** Several test processes may do so at once: what another one removes first is gone, which is all that is wanted. */
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

/** Returns whether there is such a process. */
function tryToKill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
