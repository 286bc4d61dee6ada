/** ms that a line may wait for others. Components of Kubernetes (klog) keep lines for 5 s. */
const DELAY = 100;
/** Characters that wait at most. */
const MOST = 65_536;
const STANDARD_OUTPUT = 1;

/**
 * Lines for standard output. Those of a moment are written together: a write takes more processor time than the rest of a line.
 * None is lost when the process exits, also by an exception; a process that is killed loses those of the last 0.1 s.
 */
export class LineOutput {
  readonly #write: (text: string) => void;
  #waiting = '';

  /** @param write synchronous */
  constructor(write = writeOut) {
    this.#write = write;
    process.once('exit', this.#flush);
  }

  /** @param isUrgent whether it, and with it all that wait, are written now */
  readonly add = (line: string, isUrgent: boolean): void => {
    const isFirst = this.#waiting === '';
    this.#waiting += line;
    if (isUrgent || this.#waiting.length > MOST) this.#flush();
    else if (isFirst) setTimeout(this.#flush, DELAY).unref();
  };

  readonly #flush = (): void => {
    const text = this.#waiting;
    this.#waiting = '';
    if (text !== '') this.#write(text);
  };
}

/** An ESM import of node:fs also loads its promises API (3 MB). A failed log write must not stop the agent. */
function writeOut(text: string): void {
  try {
    process.getBuiltinModule('node:fs').writeFileSync(STANDARD_OUTPUT, text);
  } catch {
    // The reader of the log is gone.
  }
}
