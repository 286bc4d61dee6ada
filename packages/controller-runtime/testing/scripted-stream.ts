/** A response body whose chunks the test pushes. */
export class ScriptedStream implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
  readonly #endings: (() => void)[] = [];
  #wake: () => void = () => undefined;
  #ended = false;
  #error: Error | undefined;

  constructor(signal?: AbortSignal) {
    signal?.addEventListener('abort', () => {
      this.end(new Error('aborted'));
    });
  }

  push(chunk: Uint8Array): void {
    if (this.#ended) return;
    this.#chunks.push(chunk);
    this.#wake();
  }

  /**
   * Ends the body. Without an error, the pushed chunks are still read; with an error they are lost and the reader
   * fails.
   */
  end(error?: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    if (error !== undefined) this.#chunks.length = 0;
    for (const ending of this.#endings) ending();
    this.#wake();
  }

  onEnd(ending: () => void): void {
    this.#endings.push(ending);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) yield chunk;
        else if (this.#ended) break;
        else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
      if (this.#error !== undefined) throw this.#error;
    } finally {
      this.end();
    }
  }
}
