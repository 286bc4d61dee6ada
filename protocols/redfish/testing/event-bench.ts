import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { memoryAccount, MemoryAccounts } from '../../testing/index.ts';
import { STREAM, SUBSCRIPTIONS } from '../events/event-record.ts';
import { createRedfishService, type RedfishService } from '../index.ts';
import { FakeBmc } from './index.ts';

/** The default caller of tests. */
const ADMIN = { username: 'admin', password: 'correct horse' };
const PASSWORD = 'battery staple';

/** A valid subscription. */
export const WISH = { Destination: 'https://listener.invalid/events', Protocol: 'Redfish', Context: 'rack 7' };

interface Ask {
  body?: object;
  headers?: Record<string, string>;
  /** User name; all users except ADMIN share one password. */
  as?: string;
}

/** An event service on a loopback port. Beside ADMIN there is account 3, `reader`. */
export class EventBench {
  readonly bmc = new FakeBmc();
  #service: RedfishService | undefined;
  #server: Server | undefined;
  #base = '';

  private constructor() {
    this.accounts('reader');
  }

  static async start(): Promise<EventBench> {
    const bench = new EventBench();
    await bench.#start();
    return bench;
  }

  async restart(): Promise<void> {
    await this.close();
    await this.#start();
  }

  async close(): Promise<void> {
    this.#service?.close();
    if (this.#server === undefined) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Replaces the accounts beside ADMIN's, starting at ID 3; visible after a restart. */
  accounts(...names: readonly string[]): void {
    const others = names.map((username, index) =>
      memoryAccount(3 + index, { username, password: PASSWORD, role: 'ReadOnly' }),
    );
    this.bmc.options.accounts = new MemoryAccounts(ADMIN, others);
  }

  async ask(method: string, path: string, { body, headers, as }: Ask = {}): Promise<Response> {
    const { username, password } = as === undefined ? ADMIN : { username: as, password: PASSWORD };
    return await fetch(`${this.#base}${path}`, {
      method,
      headers: {
        Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async askAsNobody(path: string): Promise<Response> {
    return await fetch(`${this.#base}${path}`);
  }

  async read(path: string): Promise<Record<string, unknown>> {
    return (await (await this.ask('GET', path)).json()) as Record<string, unknown>;
  }

  /** @returns the URI of a new subscription like {@link WISH} */
  async subscribe(change: object = {}, as?: string): Promise<string> {
    const answer = await this.ask('POST', SUBSCRIPTIONS, {
      body: { ...WISH, ...change },
      ...(as === undefined ? {} : { as }),
    });
    expect(answer.status).toBe(201);
    return new URL(answer.headers.get('location') ?? '', this.#base).pathname;
  }

  async stream(query = '', ask: Omit<Ask, 'body'> = {}): Promise<SentEvents> {
    const answer = await this.ask('GET', `${STREAM}${query}`, ask);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream;charset=utf-8']);
    return new SentEvents(answer);
  }

  async #start(): Promise<void> {
    this.#service = createRedfishService(this.bmc.options);
    this.#server = createServer(this.#service.handler);
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    // Null for a closed server, a string for a pipe.
    this.#base = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
}

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
