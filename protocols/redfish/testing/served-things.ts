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
import { askAt, type Listening, listening, type Reply } from './loopback.ts';
import { Things } from './things.ts';

type ThingReply = Reply & {
  /** Message IDs without `Base.1.19.`: of the error or of the resource. */
  readonly messages: readonly string[];
};

/** Routes served on a loopback port. The caller's token is a role, or a user that must change the password. */
export class Served implements AsyncDisposable {
  readonly published: ServiceEvent[] = [];
  readonly failures: unknown[] = [];
  /** What the observer was told of each answer. */
  readonly answered: string[] = [];
  /** Number of authenticated requests. */
  asked = 0;
  readonly #server;
  #listening: Listening | undefined;

  private constructor(routes: readonly Route[]) {
    this.#server = createServer(
      resourceApp(() => routes, {
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
        observer: {
          answered: (request, status) => this.answered.push(`${request} ${status}`),
          failed: (error) => this.failures.push(error),
        },
        publish: (event) => this.published.push(event),
      }),
    );
  }

  static async start(routes: readonly Route[]): Promise<Served> {
    const served = new Served(routes);
    served.#listening = await listening(served.#server);
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
  ): Promise<ThingReply> {
    const reply = await askAt(this.#listening?.url ?? '', request, body, {
      ...(as !== '' && { 'X-Auth-Token': as }),
      ...headers,
    });
    return { ...reply, messages: messagesOf(reply.json) };
  }

  /** GET of a target, or with headers, that `fetch` would change. @param headers names and values in turn */
  async askRaw(
    target: string,
    headers: readonly string[] = ['Host', 'bmc', 'X-Auth-Token', 'Administrator'],
  ): Promise<Pick<ThingReply, 'status' | 'json'>> {
    const port = this.#listening?.port;
    const [response] = (await once(
      httpRequest({ host: '127.0.0.1', port, path: target, headers }).end(),
      'response',
    )) as [IncomingMessage];
    return { status: response.statusCode ?? 0, json: JSON.parse(await readText(response)) as JsonObject };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listening?.[Symbol.asyncDispose]();
  }
}

function messagesOf(json: JsonObject): string[] {
  const holder = (json['error'] as JsonObject | undefined) ?? json;
  const list = (holder['@Message.ExtendedInfo'] ?? []) as readonly { MessageId: string }[];
  return list.map(({ MessageId }) => MessageId.split('.').at(-1) ?? '');
}

/** A new set of things for each test, and its service. */
export function thingsForEach(): { readonly things: Things; readonly served: Served } {
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
