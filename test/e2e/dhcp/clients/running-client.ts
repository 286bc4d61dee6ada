import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../../harness/eventually.ts';
import type { ServerProcess } from '../../../harness/process.ts';
import type { Binding, ClientKind, ClientOptions } from './client.ts';
import { readHookCalls, writeHook } from './hook.ts';

const BOUND_WITHIN = 30_000;

/** A client that runs in a namespace. */
export class RunningClient {
  readonly #kind: ClientKind;
  readonly #options: ClientOptions & { hook: string };
  #process: ServerProcess | undefined;
  #seen = 0;

  constructor(kind: ClientKind, options: ClientOptions) {
    mkdirSync(options.folder, { recursive: true });
    this.#kind = kind;
    this.#options = { ...options, hook: writeHook(options.folder, kind.configure) };
  }

  /** Starts it, and resolves with what it is bound to; a second start is a reboot of the machine that remembers. */
  async start(): Promise<Binding> {
    const [program, ...args] = this.#kind.commandLine(this.#options);
    this.#process = this.#options.namespace.process(program, args, {
      log: join(this.#options.folder, 'log'),
      // What it tells its hook shall be all that the hook records.
      env: { PATH: process.env['PATH'] },
    });
    this.#process.start();
    return await this.binding();
  }

  /** Resolves with what it is bound to next: after a start, a renewal or a loss. */
  async binding(): Promise<Binding> {
    return await eventually(
      () => {
        const calls = readHookCalls(this.#options.folder);
        const index = calls.findIndex((call, at) => at >= this.#seen && this.#kind.bindingOf(call) !== undefined);
        const call = calls[index];
        const binding = call && this.#kind.bindingOf(call);
        if (binding === undefined) throw new Error(`${this.#kind.tool} is not bound\n${this.log()}`);
        this.#seen = index + 1;
        return binding;
      },
      { timeout: BOUND_WITHIN },
    );
  }

  /** Has it renew, or waits until it does by itself. */
  async renew(): Promise<Binding> {
    if (this.#kind.renewSignal !== undefined) this.#signal(this.#kind.renewSignal);
    return await this.binding();
  }

  /** Gives the lease back, and resolves when it has. */
  async release(): Promise<void> {
    const { release } = this.#kind;
    if (typeof release === 'string') this.#signal(release);
    else {
      const [program, ...args] = release(this.#options);
      await this.#options.namespace.run(program, args);
    }
  }

  /** Ends it as a power failure does: nothing is given back. */
  async cutPower(): Promise<void> {
    await this.#process?.dispose();
    this.#options.namespace.ip('addr', 'flush', 'dev', this.#options.device);
    this.#seen = readHookCalls(this.#options.folder).length;
  }

  log(): string {
    return `${this.#process?.logTail() ?? ''}\n${JSON.stringify(readHookCalls(this.#options.folder).slice(-3), undefined, 1)}`;
  }

  #signal(signal: NodeJS.Signals): void {
    const pid = this.#process?.pid;
    if (pid === undefined) throw new Error(`${this.#kind.tool} does not run\n${this.log()}`);
    process.kill(pid, signal);
  }
}
