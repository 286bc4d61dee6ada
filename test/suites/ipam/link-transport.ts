import type { Transport, TransportRequest, TransportResponse } from '@groundcrew/controller-runtime';

/** The traffic of a link. */
export interface Traffic {
  requests: number;
  writes: number;
  /** Bytes of the sent bodies. */
  sent: number;
}

/**
 * The connection of one process to the API server. It counts requests, delays watches so that caches become stale, and
 * simulates the death of the process before or after the server has processed its last request.
 */
export class LinkTransport implements Transport {
  readonly #inner: Transport;
  readonly #death = new AbortController();
  readonly #traffic: Traffic = { requests: 0, writes: 0, sent: 0 };
  #callsLeft: number | undefined;
  #answersLast = false;
  #cut = new AbortController();
  #thaw: Promise<void> | undefined;
  #thawed: (() => void) | undefined;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  get isDead(): boolean {
    return this.#death.signal.aborted;
  }

  /** Traffic of objects under test, without Events. */
  get traffic(): Traffic {
    return { ...this.#traffic };
  }

  /** Permits that many calls, not counting watches; at the next call the process is killed. */
  killAfter(calls: number, when: 'before' | 'after'): void {
    this.#callsLeft = calls;
    this.#answersLast = when === 'after';
  }

  kill(): void {
    this.#death.abort(new Error('killed'));
    this.thaw();
  }

  /** Breaks all connections and blocks new ones until `restore`. */
  cut(): void {
    this.#cut.abort(new Error('the link is cut'));
  }

  restore(): void {
    this.#cut = new AbortController();
  }

  /** Delivers no watch events until `thaw`. */
  freeze(): void {
    this.#thaw ??= new Promise((resolve) => {
      this.#thawed = resolve;
    });
  }

  thaw(): void {
    this.#thawed?.();
    this.#thaw = undefined;
    this.#thawed = undefined;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const { signal: death } = this.#death;
    death.throwIfAborted();
    const { signal: cut } = this.#cut;
    cut.throwIfAborted();
    const signal = AbortSignal.any([death, cut, ...(request.signal === undefined ? [] : [request.signal])]);
    if (request.path.includes('watch=true')) {
      const response = await this.#inner.request({ ...request, signal });
      return { ...response, body: this.#held(response.body) };
    }
    const isAside = request.path.includes('/events');
    const isLast = !isAside && this.#callsLeft === 0;
    if (!isAside) this.#count(request);
    if (!isAside && this.#callsLeft !== undefined) this.#callsLeft -= 1;
    if (isLast && !this.#answersLast) this.kill();
    death.throwIfAborted();
    const response = await this.#inner.request({ ...request, signal });
    if (isLast) this.kill();
    death.throwIfAborted();
    return response;
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  #count({ method, body = '' }: TransportRequest): void {
    this.#traffic.requests += 1;
    if (method !== 'GET') this.#traffic.writes += 1;
    this.#traffic.sent += Buffer.byteLength(body);
  }

  async *#held(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of body) {
      await this.#thaw;
      this.#death.signal.throwIfAborted();
      yield chunk;
    }
  }
}
