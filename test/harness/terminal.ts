import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTool, howToInstall } from '../tools/index.ts';
import { eventually } from './eventually.ts';
import { descendantsOf } from './sandbox/descendants.ts';

/** A program in its own pseudo-terminal (created by script of util-linux), and its keyboard. */
export class Terminal {
  readonly #folder = mkdtempSync(join(tmpdir(), 'groundcrew-terminal-'));
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #text = '';
  /** Position after the last match of `until`. */
  #seen = 0;

  /** @param command shell command; its standard error is stored separately */
  constructor(command: string) {
    const program = findTool('script');
    if (program === undefined) throw new Error(`script is not on this machine; ${howToInstall('script')}`);
    const line = `{ ${command}; } 2>'${this.#errorFile}'`;
    this.#child = spawn(program, ['-qfec', line, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdout?.on('data', (data: Buffer) => (this.#text += data.toString('latin1')));
    // The program may end while text is typed.
    this.#child.stdin?.on('error', () => undefined);
    this.#ended = new Promise((resolve) => this.#child.once('close', resolve));
  }

  get #errorFile(): string {
    return join(this.#folder, 'stderr');
  }

  /** All output so far. */
  get text(): string {
    return this.#text;
  }

  get stderr(): string {
    return readFileSync(this.#errorFile, 'utf8');
  }

  type(text: string): void {
    this.#child.stdin?.write(Buffer.from(text, 'latin1'));
  }

  /** Resolves when `wanted` is in the output after the previous match, with the text up to its end. */
  async until(wanted: string): Promise<string> {
    return await eventually(
      () => {
        const at = this.#text.indexOf(wanted, this.#seen);
        if (at === -1) throw new Error(`"${wanted}" has not come; what has: ${this.#text.slice(this.#seen)}`);
        const from = this.#seen;
        this.#seen = at + wanted.length;
        return this.#text.slice(from, this.#seen);
      },
      { timeout: 20_000 },
    );
  }

  /** The exit code. */
  async ended(): Promise<number | null> {
    return await this.#ended;
  }

  /** Kills the program and all its children with SIGKILL. */
  async kill(): Promise<void> {
    for (const { pid } of descendantsOf(this.#child.pid ?? 0)) process.kill(pid, 'SIGKILL');
    await this.#ended;
  }

  async close(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
    rmSync(this.#folder, { recursive: true });
  }
}
