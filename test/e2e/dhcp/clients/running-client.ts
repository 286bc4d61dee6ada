import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../../harness/eventually.ts';
import type { ServerProcess } from '../../../harness/process.ts';
import type { Binding, ClientKind, ClientOptions } from './client.ts';
import { readHookCalls, writeHook } from './hook.ts';

const BOUND_WITHIN = 30_000;

/** A client running in a namespace. */
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

  /** Starts it and resolves with its binding; a second start simulates a reboot of the machine. */
  async start(): Promise<Binding> {
    const [program, ...args] = this.#kind.commandLine(this.#options);
    this.#process = this.#options.namespace.process(program, args, {
      log: join(this.#options.folder, 'log'),
      // An empty environment, so that the hook records only the client's variables.
      env: { PATH: process.env['PATH'] },
    });
    this.#process.start();
    return await this.binding();
  }

  /** Resolves with the next binding: after a start, a renewal or a loss. */
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

  /** Triggers a renewal, or waits for it. */
  async renew(): Promise<Binding> {
    if (this.#kind.renewSignal !== undefined) this.#signal(this.#kind.renewSignal);
    return await this.binding();
  }

  /** Releases the lease and resolves when that is done. */
  async release(): Promise<void> {
    const { release } = this.#kind;
    if (typeof release === 'string') this.#signal(release);
    else {
      const [program, ...args] = release(this.#options);
      await this.#options.namespace.run(program, args);
    }
  }

  /** Kills it as in a power failure, without a release. */
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
