import { aborted, type Transport, type TransportRequest, type TransportResponse } from '@groundcrew/controller-runtime';

type Matches = (method: string, path: string) => boolean;

/** Requests so far, without watches and Events. */
export interface Traffic {
  requests: number;
  writes: number;
  /** Bytes of the sent bodies. */
  sent: number;
}

/**
 * The connection of one process to the API server. It counts requests, loses requests or responses, delays watches so
 * that caches become stale, and simulates the death of the process before or after the server has processed its last
 * request.
 */
export class FaultyTransport implements Transport {
  /** Requests to block; default none. */
  holdsBack: Matches = () => false;
  /** Responses to return instead of the server's; undefined: the server answers. */
  answers: (method: string, path: string) => { status: number; message: string } | undefined = () => undefined;
  /** Requests that the server processes but whose responses are lost; default none. */
  losesAnswer: Matches = () => false;
  /** Requests that neither reach the server nor fail until `resume`, unless the client aborts them; default none. */
  hangs: Matches = () => false;
  #resumed = Promise.withResolvers<undefined>();
  readonly #inner: Transport;
  readonly #death = new AbortController();
  readonly #traffic: Traffic = { requests: 0, writes: 0, sent: 0 };
  #meanwhile: { isDue: (path: string) => boolean; work: () => Promise<void> } | undefined;
  #end: { calls: number; when: 'before' | 'after'; counts: Matches } | undefined;
  #cut = new AbortController();
  #frozen: PromiseWithResolvers<undefined> | undefined;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  get isDead(): boolean {
    return this.#death.signal.aborted;
  }

  get traffic(): Traffic {
    return { ...this.#traffic };
  }

  /**
   * Permits that many calls; at the next call the process is killed, before or after the server has processed it.
   *
   * @param counts calls that count; default all except watches and Events
   */
  killAfter(calls: number, when: 'before' | 'after', counts: Matches = (_, path) => isCounted(path)): void {
    this.#end = { calls, when, counts };
  }

  kill(): void {
    this.#death.abort(new Error('killed'));
    this.thaw();
  }

  /** Runs `work` during the first write to such a path, before the write continues. */
  beforeWrite(isDue: (path: string) => boolean, work: () => Promise<void>): void {
    this.#meanwhile = { isDue, work };
  }

  /** Breaks all connections and blocks new ones until `restore`. */
  cut(): void {
    this.#cut.abort(new Error('the connection is cut'));
  }

  restore(): void {
    this.#cut = new AbortController();
  }

  /** Passes the requests on that hang. */
  resume(): void {
    this.hangs = () => false;
    this.#resumed.resolve(undefined);
    this.#resumed = Promise.withResolvers();
  }

  /** Delivers no watch events until `thaw`. */
  freeze(): void {
    this.#frozen ??= Promise.withResolvers<undefined>();
  }

  thaw(): void {
    this.#frozen?.resolve(undefined);
    this.#frozen = undefined;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const { method, path } = request;
    const [death, cut] = [this.#death.signal, this.#cut.signal];
    death.throwIfAborted();
    cut.throwIfAborted();
    if (this.holdsBack(method, path)) throw new Error('the connection to the API server is blocked');
    if (this.hangs(method, path)) await Promise.race([this.#resumed.promise, rejectedBy(request.signal, death)]);
    if (isCounted(path)) this.#count(request);
    if (method !== 'GET') await this.#workMeanwhile(path);
    const answer = this.answers(method, path);
    if (answer !== undefined) return refusal(answer);
    const killed = this.#deathAt(method, path);
    if (killed === 'before') this.kill();
    death.throwIfAborted();
    const signal = AbortSignal.any([death, cut, ...(request.signal === undefined ? [] : [request.signal])]);
    const response = await this.#inner.request({ ...request, signal });
    if (killed === 'after') this.kill();
    death.throwIfAborted();
    if (this.losesAnswer(method, path)) throw new Error('the response is lost');
    return isWatch(path) ? { ...response, body: this.#delayed(response.body) } : response;
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  #count({ method, body = '' }: TransportRequest): void {
    this.#traffic.requests += 1;
    if (method !== 'GET') this.#traffic.writes += 1;
    this.#traffic.sent += Buffer.byteLength(body);
  }

  /** Whether the process is killed at this call. */
  #deathAt(method: string, path: string): 'before' | 'after' | undefined {
    if (this.#end?.counts(method, path) !== true) return undefined;
    this.#end.calls -= 1;
    return this.#end.calls === -1 ? this.#end.when : undefined;
  }

  async #workMeanwhile(path: string): Promise<void> {
    const meanwhile = this.#meanwhile;
    if (meanwhile?.isDue(path) !== true) return;
    this.#meanwhile = undefined;
    await meanwhile.work();
  }

  async *#delayed(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of body) {
      await this.#frozen?.promise;
      this.#death.signal.throwIfAborted();
      yield chunk;
    }
  }
}

async function rejectedBy(...signals: (AbortSignal | undefined)[]): Promise<never> {
  const signal = AbortSignal.any(signals.filter((one) => one !== undefined));
  await aborted(signal);
  throw signal.reason;
}

function isWatch(path: string): boolean {
  return path.includes('watch=true');
}

function isCounted(path: string): boolean {
  return !isWatch(path) && !path.includes('/events');
}

function refusal({ status, message }: { status: number; message: string }): TransportResponse {
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, message };
  return { status, headers: {}, body: ReadableStream.from<Uint8Array>([Buffer.from(JSON.stringify(body))]) };
}
