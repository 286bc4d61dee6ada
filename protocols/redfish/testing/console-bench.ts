import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, expect } from 'vitest';
import { WebSocket } from 'ws';
import { MemoryAccounts, memoryAccount } from '../../testing/index.ts';
import { createRedfishService, type RedfishService } from '../index.ts';
import { FakeBmc } from './fake-bmc.ts';
import { askAt, basic, type Listening, listening, type Reply } from './loopback.ts';

/** Password of all users: `owner` and `chief` (Administrator), `operator`, `watcher` (ReadOnly), and `novice`, who must change it. */
export const PASSWORD = 'Plover-9-xyzzy';

/** An attempt to open a console. */
export interface Opening {
  path?: string;
  headers?: Record<string, string>;
  protocols?: string[];
}

/** A BMC with the web console on, over plain HTTP on loopback. */
export class ConsoleBench {
  readonly bmc = new FakeBmc();
  readonly accounts = new MemoryAccounts({ username: 'owner', password: PASSWORD }, [
    memoryAccount(3, { username: 'watcher', password: PASSWORD, role: 'ReadOnly' }),
    memoryAccount(4, { username: 'novice', password: PASSWORD, role: 'Administrator' }),
    memoryAccount(5, { username: 'operator', password: PASSWORD, role: 'Operator' }),
    memoryAccount(6, { username: 'chief', password: PASSWORD, role: 'Administrator' }),
  ]);
  readonly failures: unknown[] = [];
  isEnabled = true;
  readonly service: RedfishService;
  #listening: Listening | undefined;
  readonly #clients: WebSocket[] = [];

  constructor() {
    this.service = createRedfishService({
      ...this.bmc.options,
      accounts: this.accounts,
      random: randomBytes,
      observer: { ...this.bmc.options.observer, failed: (error) => this.failures.push(error) },
      webConsole: {
        isEnabled: () => this.isEnabled,
        pages: (request, response) => response.end(`page ${request.url ?? ''}`),
      },
    });
  }

  async start(): Promise<void> {
    await this.bmc.state.change(() => ({ settings: { passwordChangeRequired: [4] } }));
    const server = createServer(
      { shouldUpgradeCallback: (request) => this.service.accepts(request) },
      this.service.handler,
    );
    server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => undefined);
      void this.service.upgrade(request, socket, head);
    });
    this.#listening = await listening(server);
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.terminate();
    this.service.close();
    this.bmc.runScheduled();
    await this.#listening?.[Symbol.asyncDispose]();
  }

  get port(): number {
    return this.#listening?.port ?? 0;
  }

  async ask(request: string, body?: object, headers?: Record<string, string>): Promise<Reply> {
    return await askAt(this.#listening?.url ?? '', request, body, headers);
  }

  /** @returns the token and the URI of a new session */
  async logIn(user: string): Promise<{ token: string; uri: string }> {
    const reply = await this.ask('POST /redfish/v1/SessionService/Sessions', { UserName: user, Password: PASSWORD });
    expect(reply.status).toBe(201);
    return { token: reply.headers.get('x-auth-token') ?? '', uri: reply.headers.get('location') ?? '' };
  }

  /** An open console, or the status of the refusal. */
  async open({ path = '/console0', headers = {}, protocols = ['binary'] }: Opening): Promise<ConsoleClient | number> {
    const webSocket = new WebSocket(`ws://127.0.0.1:${this.port}${path}`, protocols, { headers });
    this.#clients.push(webSocket);
    const client = new ConsoleClient(webSocket);
    return await new Promise((resolve, reject) => {
      webSocket.once('open', () => {
        resolve(client);
      });
      webSocket.once('unexpected-response', (_request, { statusCode = 0 }: IncomingMessage) => {
        resolve(statusCode);
        webSocket.terminate();
      });
      webSocket.once('error', reject);
    });
  }

  /** A console of a new session of the user. */
  async opened(user: string, path?: string): Promise<ConsoleClient> {
    const { token } = await this.logIn(user);
    const client = await this.open({ headers: { 'x-auth-token': token }, ...(path !== undefined && { path }) });
    if (typeof client === 'number') throw new Error(`the console was refused with ${client}`);
    return client;
  }
}

/** The client's end of a console. */
export class ConsoleClient {
  readonly webSocket: WebSocket;
  #output = '';
  /** Code and reason of its end. */
  readonly ended: Promise<[code: number, reason: string]>;

  constructor(webSocket: WebSocket) {
    this.webSocket = webSocket;
    webSocket.on('message', (data) => (this.#output += (data as Buffer).toString('latin1')));
    webSocket.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      webSocket.once('close', (code, reason) => {
        resolve([code, reason.toString()]);
      });
    });
  }

  get output(): string {
    return this.#output;
  }

  type(data: string | Buffer): void {
    this.webSocket.send(data);
  }
}

/** A new {@link ConsoleBench} for each test. Call it once per file, outside of tests. */
export function consolesForEach(): { readonly current: ConsoleBench } {
  let current: ConsoleBench;
  beforeEach(async () => {
    current = new ConsoleBench();
    await current.start();
  });
  afterEach(async () => {
    await current.close();
    expect(current.failures).toEqual([]);
  });
  return {
    get current() {
      return current;
    },
  };
}

export { basic };
