export interface SseMessage {
  readonly id: string | undefined;
  readonly data: string;
}

/** Characters of one line or message, beyond which the stream is not understood. */
const LONGEST = 1_000_000;

/**
 * Splits a stream of Server-Sent Events (HTML Living Standard §9.2.6) into messages. EventSource cannot send a token, so
 * the stream is read by fetch.
 */
export class SseParser {
  #rest = '';
  #id: string | undefined;
  #data: string[] = [];

  /** @throws Error for a message without end */
  push(text: string): SseMessage[] {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > LONGEST) throw new Error('a line of the event stream has no end');
    return lines.flatMap((line) => this.#line(line));
  }

  #line(line: string): SseMessage[] {
    if (line === '') {
      const data = this.#data;
      this.#data = [];
      return data.length === 0 ? [] : [{ id: this.#id, data: data.join('\n') }];
    }
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'id') this.#id = value;
    if (field === 'data') this.#data.push(value);
    if (this.#data.length > 1000) throw new Error('a message of the event stream has no end');
    return [];
  }
}
