/** Reads the events of a stream. */
export class SentEvents {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #text = '';

  constructor(answer: Response) {
    if (answer.body === null) throw new Error('there is no body');
    this.#reader = answer.body.getReader();
  }

  /** The next event; undefined: the stream has ended. */
  async next(): Promise<{ id: string; data: Record<string, unknown> } | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end !== -1) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        const [, id, data] = /^id: (\d+)\ndata: (.*)$/.exec(block) ?? [];
        if (id !== undefined && data !== undefined) return { id, data: JSON.parse(data) as Record<string, unknown> };
        continue;
      }
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#text += Buffer.from(value).toString();
    }
  }

  async close(): Promise<void> {
    await this.#reader.cancel();
  }
}
