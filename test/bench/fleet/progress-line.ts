/** Milliseconds between two lines that are not rewritten. */
const SPACING = 5_000;
const CLEAR_LINE = '\r\u001B[K';

export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** One line about what happens now: rewritten on a terminal; elsewhere a new line every five seconds. */
export class ProgressLine {
  readonly #output: Output;
  readonly #now: () => number;
  #last = -Infinity;
  #shown = '';

  /** @param now ms */
  constructor(output: Output, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
  }

  /** Shows the line; not on a terminal, only if it is due and has changed. */
  update(line: string): void {
    if (this.#output.isTTY === true) {
      this.#output.write(CLEAR_LINE + line.slice(0, (this.#output.columns ?? 80) - 1));
      return;
    }
    if (line === this.#shown || this.#now() - this.#last < SPACING) return;
    this.#print(line);
  }

  /** Keeps a line on the screen. */
  say(line: string): void {
    if (this.#output.isTTY === true) this.#output.write(CLEAR_LINE);
    this.#print(line);
  }

  #print(line: string): void {
    this.#last = this.#now();
    this.#shown = line;
    this.#output.write(`${line}\n`);
  }
}
