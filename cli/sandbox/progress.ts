/** Progress of the start on standard error: one line rewritten in place on a terminal, otherwise one line per step. */
export class Progress {
  readonly #stderr: NodeJS.WritableStream & { isTTY?: boolean };
  #shown = '';

  constructor(stderr: NodeJS.WritableStream & { isTTY?: boolean }) {
    this.#stderr = stderr;
  }

  /** Shows the current step. */
  show(step: string): void {
    if (step === this.#shown) return;
    this.#shown = step;
    this.#stderr.write(this.#stderr.isTTY === true ? `\r\x1b[K${step}` : `${step}\n`);
  }

  /** Clears the line and disables further output. */
  end(): void {
    if (this.#shown !== '' && this.#stderr.isTTY === true) this.#stderr.write('\r\x1b[K');
    this.#shown = '';
  }
}
