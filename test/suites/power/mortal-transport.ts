import type { Transport, TransportRequest, TransportResponse } from '../../../src/kube/index.ts';

/** A process's way to the API server, which ends when the process is killed: watches break, and no request gets through. */
export class MortalTransport implements Transport {
  readonly #inner: Transport;
  readonly #death = new AbortController();
  /** Writes until death; undefined: it lives. */
  #writesLeft: number | undefined;
  #answersLast = false;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  get isDead(): boolean {
    return this.#death.signal.aborted;
  }

  /** Lets so many writes through; at the next it dies, before or after the server has done that. */
  killAfter(writes: number, when: 'before' | 'after'): void {
    this.#writesLeft = writes;
    this.#answersLast = when === 'after';
  }

  kill(): void {
    this.#death.abort(new Error('killed'));
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    this.#death.signal.throwIfAborted();
    const isWrite = request.method !== 'GET' && !request.path.includes('/events');
    const isLast = isWrite && this.#writesLeft === 0;
    if (isWrite && this.#writesLeft !== undefined) this.#writesLeft -= 1;
    if (isLast && !this.#answersLast) this.kill();
    this.#death.signal.throwIfAborted();
    const signal = AbortSignal.any([this.#death.signal, ...(request.signal === undefined ? [] : [request.signal])]);
    const response = await this.#inner.request({ ...request, signal });
    if (isLast) this.kill();
    this.#death.signal.throwIfAborted();
    return response;
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }
}
