import { createServer } from 'node:http';
import { afterEach, beforeEach, expect } from 'vitest';
import { memoryAccount, MemoryAccounts } from '../../testing/index.ts';
import { NEW_SUBSCRIPTION } from '../events/create-subscription.ts';
import { STREAM, SUBSCRIPTIONS } from '../events/event-record.ts';
import { createRedfishService, type RedfishService } from '../index.ts';
import type { StoredSubscription } from '../state.ts';
import { FakeBmc } from './fake-bmc.ts';
import { basic, type Listening, listening } from './loopback.ts';

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

/** An {@link EventBench} that starts anew for each test. Call it once per file, outside of tests. */
export function eventBench(): EventBench {
  const bench = new EventBench();
  beforeEach(() => bench.start());
  afterEach(() => bench.close());
  return bench;
}

/** An event service on a loopback port. Beside ADMIN there is account 3, `reader`. */
class EventBench {
  bmc = new FakeBmc();
  #service: RedfishService | undefined;
  #listening: Listening | undefined;

  async start(): Promise<void> {
    this.bmc = new FakeBmc();
    this.accounts('reader');
    await this.#serve();
  }

  async restart(): Promise<void> {
    await this.close();
    await this.#serve();
  }

  async close(): Promise<void> {
    this.#service?.close();
    await this.#listening?.[Symbol.asyncDispose]();
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
    return await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        ...basic(username, password),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async askAnonymously(path: string): Promise<Response> {
    return await fetch(`${this.#url}${path}`);
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
    return new URL(answer.headers.get('location') ?? '', this.#url).pathname;
  }

  async stream(query = '', ask: Omit<Ask, 'body'> = {}): Promise<SentEvents> {
    const answer = await this.ask('GET', `${STREAM}${query}`, ask);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream;charset=utf-8']);
    return new SentEvents(answer);
  }

  get #url(): string {
    return this.#listening?.url ?? '';
  }

  async #serve(): Promise<void> {
    this.#service = createRedfishService(this.bmc.options);
    this.#listening = await listening(createServer(this.#service.handler));
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

/** A subscription to all events with unlimited retries. */
export function aSubscription(id: string, change: Partial<StoredSubscription> = {}): StoredSubscription {
  return {
    ...NEW_SUBSCRIPTION,
    id,
    destination: `https://listener-${id}.example/in`,
    retryPolicy: 'RetryForever',
    owner: 'admin',
    ...change,
  };
}
