import type { Transport, TransportRequest, TransportResponse } from '@groundcrew/controller-runtime';

/**
 * The connection of a process to the API server. When the process is killed, watches break and requests are blocked.
 */
export class MortalTransport implements Transport {
  readonly #inner: Transport;
  readonly #death = new AbortController();
  /** Requests to block, by method and path; default none. */
  holdsBack: (method: string, path: string) => boolean = () => false;
  /** Responses to return instead of the server's; undefined: the server answers. */
  answers: (method: string, path: string) => { status: number; message: string } | undefined = () => undefined;
  /** Requests that the server processes but whose responses are lost, by method and path; default none. */
  losesAnswer: (method: string, path: string) => boolean = () => false;
  #meanwhile: { isDue: (path: string) => boolean; work: () => Promise<void> } | undefined;
  /** Remaining writes until the kill; undefined: no limit. */
  #writesLeft: number | undefined;
  #answersLast = false;
  #writes = 0;
  #counts: (path: string) => boolean = () => false;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  get isDead(): boolean {
    return this.#death.signal.aborted;
  }

  /** Number of attempted writes. */
  get writes(): number {
    return this.#writes;
  }

  /**
   * Permits that many writes; at the next write the process dies, before or after the server has processed it.
   *
   * @param counts paths that count; default all except Events and the event log, which are written at any time
   */
  killAfter(
    writes: number,
    when: 'before' | 'after',
    counts = (path: string) => !/events|configmaps/.test(path),
  ): void {
    this.#counts = counts;
    this.#writesLeft = writes;
    this.#answersLast = when === 'after';
  }

  /** Runs `work` during the first write to such a path, before the write continues. */
  beforeWrite(isDue: (path: string) => boolean, work: () => Promise<void>): void {
    this.#meanwhile = { isDue, work };
  }

  kill(): void {
    this.#death.abort(new Error('killed'));
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    this.#death.signal.throwIfAborted();
    if (this.holdsBack(request.method, request.path)) throw new Error('the way to the API server is blocked');
    if (request.method !== 'GET') {
      this.#writes += 1;
      await this.#workMeanwhile(request.path);
    }
    const answer = this.answers(request.method, request.path);
    if (answer !== undefined) return refusal(answer);
    const isWrite = request.method !== 'GET' && this.#counts(request.path);
    const isLast = isWrite && this.#writesLeft === 0;
    if (isWrite && this.#writesLeft !== undefined) this.#writesLeft -= 1;
    if (isLast && !this.#answersLast) this.kill();
    this.#death.signal.throwIfAborted();
    const signal = AbortSignal.any([this.#death.signal, ...(request.signal === undefined ? [] : [request.signal])]);
    const response = await this.#inner.request({ ...request, signal });
    if (isLast) this.kill();
    this.#death.signal.throwIfAborted();
    if (this.losesAnswer(request.method, request.path)) throw new Error('the answer is lost');
    return response;
  }

  async #workMeanwhile(path: string): Promise<void> {
    const meanwhile = this.#meanwhile;
    if (meanwhile?.isDue(path) !== true) return;
    this.#meanwhile = undefined;
    await meanwhile.work();
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }
}

function refusal({ status, message }: { status: number; message: string }): TransportResponse {
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, message };
  return { status, headers: {}, body: ReadableStream.from<Uint8Array>([Buffer.from(JSON.stringify(body))]) };
}
