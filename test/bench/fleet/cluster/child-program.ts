import { fork, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

interface Answer {
  id: number;
  value?: unknown;
  error?: string;
}

/** A program of this folder in a process of its own, which answers questions over Node's IPC channel; see `serveParent`. */
export class ChildProgram {
  readonly #child: ChildProcess;
  readonly #log: string;
  readonly #open = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #last = 0;

  private constructor(child: ChildProcess, log: string) {
    this.#child = child;
    this.#log = log;
    child.on('message', ({ id, value, error }: Answer) => {
      const question = this.#open.get(id);
      this.#open.delete(id);
      if (error === undefined) question?.resolve(value);
      else question?.reject(new Error(error));
    });
    child.once('exit', (code, signal) => {
      const tail = readFileSync(log, 'utf8').split('\n').slice(-20).join('\n');
      const error = new Error(`${child.spawnargs[1] ?? ''} ended (${signal ?? code ?? '?'}):\n${tail}`);
      for (const { reject } of this.#open.values()) reject(error);
      this.#open.clear();
    });
  }

  /**
   * Starts a program and resolves with it.
   *
   * @param script its path
   * @param argument is passed as JSON
   * @param log file for its output
   */
  static start(script: string, argument: unknown, log: string): ChildProgram {
    const output = openSync(log, 'a');
    const child = fork(script, [JSON.stringify(argument)], { stdio: ['ignore', output, output, 'ipc'] });
    closeSync(output);
    return new ChildProgram(child, log);
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(`the program was not started; see ${this.#log}`);
    return this.#child.pid;
  }

  /** Asks the program; its first answer to `ready` comes when it has started. */
  async ask<T>(question: string, argument: unknown = null): Promise<T> {
    this.#last += 1;
    const id = this.#last;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#child.send({ id, question, argument }, (error) => {
        if (error !== null) reject(error);
      });
    });
    // The program's handler returns it.
    return (await answer) as T;
  }

  /** Ends the program, which closes its parts first. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => {
      this.#child.once('exit', () => {
        resolve();
      });
    });
    this.#child.disconnect();
    const impatience = setTimeout(() => this.#child.kill('SIGKILL'), 20_000);
    await ended;
    clearTimeout(impatience);
  }
}
