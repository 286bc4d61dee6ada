/** Progress lines of the start, on standard error: in place on a terminal, else one line for each step. */
export class Progress {
  readonly #stderr: NodeJS.WritableStream & { isTTY?: boolean };
  #shown = '';

  constructor(stderr: NodeJS.WritableStream & { isTTY?: boolean }) {
    this.#stderr = stderr;
  }

  /** Shows what the sandbox does now. */
  show(step: string): void {
    if (step === this.#shown) return;
    this.#shown = step;
    this.#stderr.write(this.#stderr.isTTY === true ? `\r\x1b[K${step}` : `${step}\n`);
  }

  /** Clears the line; nothing is shown after it. */
  end(): void {
    if (this.#shown !== '' && this.#stderr.isTTY === true) this.#stderr.write('\r\x1b[K');
    this.#shown = '';
  }
}
