import { Agent, createServer, request as send, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { issueServerCertificate } from '@groundcrew/controller-runtime/certificates';

/** A request that reached the API server, except reads and dry runs. */
export interface PassedWrite {
  method: string;
  path: string;
  /** Of the API server's answer. */
  status: number;
}

/** What the proxy did to requests, by kind. */
export interface Done {
  delayed: number;
  /** 429 or 503 instead of a request. */
  refused: number;
  /** Connections broken before the request was passed on. */
  dropped: number;
  /** Connections broken after the API server had answered a write or a read. */
  answersLost: number;
  /** Watches broken by `cutWatches` and `cut`. */
  watchesCut: number;
  /** 410 as status or as event of a watch: the requested revision has been compacted. */
  expired: number;
}

/**
 * A reverse proxy between processes and an API server, with the faults of a network. It passes tokens on, so the API server sees who asks;
 * it does not pass WebSockets on.
 */
export class FaultyProxy {
  /** `https://127.0.0.1:<port>` */
  readonly server: string;
  readonly ca: string;
  /** Milliseconds before each request is passed on. */
  latency = 0;
  /** Share of the requests that fail, in [0, 1]; watches can fail only when they begin. */
  errors = 0;
  /** Seconds after which the API server ends new watches, in place of those that they ask for. */
  watchSeconds: number | undefined;
  readonly done: Done = { delayed: 0, refused: 0, dropped: 0, answersLost: 0, watchesCut: 0, expired: 0 };
  /** In the order of the answers. */
  readonly writes: PassedWrite[] = [];
  readonly #target: URL;
  readonly #listener: Server;
  readonly #agent: Agent;
  readonly #random: () => number;
  readonly #sockets = new Set<Socket>();
  readonly #watches = new Set<Socket>();
  #isCut = false;
  /** The next request fails at 1. */
  #due = 0;

  private constructor(
    target: URL,
    listener: Server,
    agent: Agent,
    address: { port: number; ca: string },
    random: () => number,
  ) {
    this.#target = target;
    this.#listener = listener;
    this.#agent = agent;
    this.#random = random;
    this.server = `https://127.0.0.1:${address.port}`;
    this.ca = address.ca;
    listener.on('connection', (socket: Socket) => {
      if (this.#isCut) socket.destroy();
      this.#sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
    });
    listener.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#serve(request, response).catch(() => request.socket.destroy());
    });
  }

  /** @param random returns a number from [0, 1) */
  static async start(target: { server: string; ca: string }, random: () => number = Math.random): Promise<FaultyProxy> {
    const { ca, cert, key } = await issueServerCertificate({ names: ['127.0.0.1'], now: Date.now() });
    const listener = createServer({ cert, key });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const address = listener.address();
    if (address === null || typeof address === 'string') throw new Error('a TCP server has a numeric address');
    const agent = new Agent({ keepAlive: true, ca: target.ca });
    return new FaultyProxy(new URL(target.server), listener, agent, { port: address.port, ca }, random);
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  /** Breaks all connections, and new ones until `restore`. */
  cut(): void {
    this.#isCut = true;
    this.cutWatches();
    for (const socket of this.#sockets) socket.destroy();
  }

  restore(): void {
    this.#isCut = false;
  }

  /** Breaks the connections of all open watches. */
  cutWatches(): void {
    this.done.watchesCut += this.#watches.size;
    for (const socket of this.#watches) socket.destroy();
    this.#watches.clear();
  }

  async close(): Promise<void> {
    this.cut();
    this.#listener.close();
    this.#agent.destroy();
    await once(this.#listener, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [method = '', path = ''] = [request.method, request.url];
    const body = await buffer(request);
    if (this.latency > 0) {
      this.done.delayed += 1;
      await sleep(this.latency);
    }
    const fault = this.#isDue() ? Math.floor(this.#random() * 4) : undefined;
    if (fault === 0 || fault === 1) {
      this.done.refused += 1;
      answerRefusal(response, fault === 0 ? 429 : 503);
      return;
    }
    if (fault === 2) {
      this.done.dropped += 1;
      request.socket.destroy();
      return;
    }
    const answer = await this.#pass(request, response, body);
    const status = answer.statusCode ?? 0;
    const isDryRun = path.includes('dryRun=All') || body.includes('"dryRun"');
    if (method !== 'GET' && !isDryRun) this.writes.push({ method, path, status });
    if (status === 410) this.done.expired += 1;
    if (fault === 3) {
      this.done.answersLost += 1;
      answer.resume();
      request.socket.destroy();
      return;
    }
    response.writeHead(status, answer.headers);
    const isWatch = path.includes('watch=true');
    if (isWatch) {
      this.#watches.add(request.socket);
      response.flushHeaders();
      response.once('close', () => {
        this.#watches.delete(request.socket);
      });
    }
    answer.on('error', () => request.socket.destroy());
    answer.on('data', (chunk: Buffer) => {
      if (isWatch && chunk.includes('"code":410')) this.done.expired += 1;
    });
    answer.pipe(response);
  }

  /** Whether this request fails: at random, but never for long without a failure. */
  #isDue(): boolean {
    this.#due += 2 * this.errors * this.#random();
    if (this.#due < 1) return false;
    this.#due -= 1;
    return true;
  }

  async #pass(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<IncomingMessage> {
    const { host: _, connection: __, 'transfer-encoding': ___, ...headers } = request.headers;
    const { hostname, port } = this.#target;
    const { method, url = '' } = request;
    const path =
      this.watchSeconds === undefined ? url : url.replace(/timeoutSeconds=\d+/, `timeoutSeconds=${this.watchSeconds}`);
    return await new Promise((resolve, reject) => {
      const asked = send({ hostname, port, method, path, headers, agent: this.#agent }, resolve);
      asked.on('error', reject);
      response.once('close', () => {
        if (!response.writableFinished) asked.destroy();
      });
      asked.end(body);
    });
  }
}

function answerRefusal(response: ServerResponse, status: 429 | 503): void {
  const message = 'injected by the proxy of the test';
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, message };
  const headers = { 'content-type': 'application/json', ...(status === 429 ? { 'retry-after': '1' } : {}) };
  response.writeHead(status, headers).end(JSON.stringify(body));
}
