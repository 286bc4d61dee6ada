import type { Overview } from '../../../cli/status/overview.ts';
import { applyChange, type OverviewChange } from '../../../cli/status/overview-changes.ts';
import type { Browser } from './browser.ts';

/** What the page of a cluster is told, and what it then shows. */
export class StatusStream {
  /** Why what is shown may be old. */
  lost: string | undefined;
  #overview: Overview | undefined;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  private constructor(reader: ReadableStreamDefaultReader<Uint8Array>) {
    this.#reader = reader;
  }

  static async open(browser: Browser): Promise<StatusStream> {
    const { body } = await browser.ask('GET', '/api/changes');
    if (body === null) throw new Error('no stream');
    const stream = new StatusStream(body.getReader());
    // It ends with the server or with close().
    void stream.#read().catch(() => undefined);
    return stream;
  }

  /** @throws Error before the first status */
  get overview(): Overview {
    if (this.#overview === undefined) throw new Error('no status yet');
    return this.#overview;
  }

  async close(): Promise<void> {
    await this.#reader.cancel();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    for (;;) {
      const { value } = await this.#reader.read();
      if (value === undefined) return;
      const messages = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = messages.pop() ?? '';
      for (const message of messages) {
        const [, name, data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(message) ?? [];
        if (name !== undefined) this.#take(name, JSON.parse(data));
      }
    }
  }

  #take(name: string, data: unknown): void {
    // Of our own server.
    if (name === 'status') this.#overview = data as Overview;
    if (name === 'change') this.#overview = applyChange(this.overview, data as OverviewChange);
    if (name === 'lost') this.lost = (data as { message: string }).message;
    if (name === 'found') this.lost = undefined;
  }
}
