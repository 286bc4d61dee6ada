import { once } from 'node:events';
import { createServer, type IncomingMessage, request as httpRequest } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { afterEach, beforeEach } from 'vitest';
import type { Role } from '../../accounts.ts';
import { memoryAccount } from '../../testing/index.ts';
import type { ServiceEvent } from '../context.ts';
import type { JsonObject } from '../json.ts';
import { base, RedfishError } from '../messages.ts';
import type { Route } from '../resource.ts';
import { resourceApp } from '../service/dispatcher.ts';
import { Things } from './things.ts';

/** An answer, read to its end. */
interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Empty if the body is not JSON. */
  readonly json: JsonObject;
  /** Message IDs without `Base.1.19.`: of the error or of the resource. */
  readonly messages: readonly string[];
}

/** Routes served on a loopback port. The caller's token is a role, or a user that must change the password. */
export class Served implements AsyncDisposable {
  readonly published: ServiceEvent[] = [];
  readonly failures: unknown[] = [];
  /** Number of authenticated requests. */
  asked = 0;
  readonly #server;
  #base = '';

  private constructor(routes: readonly Route[]) {
    this.#server = createServer(
      resourceApp(routes, {
        gate: {
          authenticate: ({ 'x-auth-token': token }, address) => {
            this.asked += 1;
            if (typeof token !== 'string') throw new RedfishError(401, [base('NoValidSession')]);
            const account = memoryAccount(3, {
              username: 'joan',
              password: 'secret',
              role: token.split('!')[0] as Role,
            });
            const requester = { protocol: 'Redfish', user: 'joan', address } as const;
            return { account, requester, session: '7', mustChangePassword: token.includes('!') };
          },
          anonymous: (address) => ({
            account: memoryAccount(0, { username: '', password: '', role: 'NoAccess' }),
            requester: { protocol: 'Redfish', user: '', address },
          }),
        },
        observer: { failed: (error) => this.failures.push(error) },
        publish: (event) => this.published.push(event),
      }),
    );
  }

  static async start(routes: readonly Route[]): Promise<Served> {
    const served = new Served(routes);
    await new Promise<void>((resolve) => served.#server.listen(0, '127.0.0.1', resolve));
    const address = served.#server.address();
    served.#base = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
    return served;
  }

  /**
   * @param request `PATCH /redfish/v1/Things/1`
   * @param as role of the caller; undefined: not logged in
   * @param body as JSON; a string is sent unchanged, without Content-Type unless in `headers`
   */
  async ask(
    request: string,
    body?: unknown,
    headers: Record<string, string> = {},
    as: string | undefined = 'Administrator',
  ): Promise<Reply> {
    const [method = 'GET', path = ''] = request.split(' ');
    const isText = typeof body === 'string';
    const response = await fetch(`${this.#base}${path}`, {
      method,
      headers: {
        ...(as === '' ? {} : { 'X-Auth-Token': as }),
        ...(body === undefined || isText ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isText ? Buffer.from(body) : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true && text !== '';
    const json = (isJson ? JSON.parse(text) : {}) as JsonObject;
    return { status: response.status, headers: response.headers, text, json, messages: messagesOf(json) };
  }

  /** GET of a target that `fetch` would change. */
  async askRaw(target: string): Promise<Pick<Reply, 'status' | 'json'>> {
    const { hostname, port } = new URL(this.#base);
    const [response] = (await once(
      httpRequest({ hostname, port, path: target, headers: { 'X-Auth-Token': 'Administrator' } }).end(),
      'response',
    )) as [IncomingMessage];
    return { status: response.statusCode ?? 0, json: JSON.parse(await readText(response)) as JsonObject };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function messagesOf(json: JsonObject): string[] {
  const holder = (json['error'] as JsonObject | undefined) ?? json;
  const list = (holder['@Message.ExtendedInfo'] ?? []) as readonly { MessageId: string }[];
  return list.map(({ MessageId }) => MessageId.split('.').at(-1) ?? '');
}

/** A new set of things for each test, and its service. */
interface ThingsForEach {
  readonly things: Things;
  readonly served: Served;
}

export function thingsForEach(): ThingsForEach {
  let things: Things;
  let served: Served;
  beforeEach(async () => {
    things = new Things();
    served = await Served.start(things.routes);
  });
  afterEach(async () => {
    await served[Symbol.asyncDispose]();
  });
  return {
    get things() {
      return things;
    },
    get served() {
      return served;
    },
  };
}
