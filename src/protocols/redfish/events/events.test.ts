import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryAccounts, memoryAccount } from '../../testing/index.ts';
import { createRedfishService, type RedfishService } from '../service/redfish-service.ts';
import { checkAgainstSchema, FakeBmc, hasSchemas } from '../testing/index.ts';

const ADMIN = { username: 'admin', password: 'correct horse' };
const READER = memoryAccount(3, { username: 'reader', password: 'battery staple', role: 'ReadOnly' });
const SERVICE = '/redfish/v1/EventService';
const SUBSCRIPTIONS = `${SERVICE}/Subscriptions`;

let bmc: FakeBmc;
let service: RedfishService;
let server: Server;
let base = '';

beforeEach(async () => {
  bmc = new FakeBmc();
  bmc.options.accounts = new MemoryAccounts(ADMIN, [READER]);
  await started();
});

afterEach(async () => {
  await ended();
});

async function started(): Promise<void> {
  service = createRedfishService(bmc.options);
  server = createServer(service.handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function ended(): Promise<void> {
  service.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

async function restarted(): Promise<void> {
  await ended();
  await started();
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

interface Ask {
  body?: object;
  headers?: Record<string, string>;
  as?: string;
}

async function ask(method: string, path: string, { body, headers, as }: Ask = {}): Promise<Response> {
  return await fetch(`${base}${path}`, {
    method,
    headers: {
      Authorization: as ?? basic(ADMIN.username, ADMIN.password),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function json(answer: Promise<Response>): Promise<Record<string, unknown>> {
  return (await (await answer).json()) as Record<string, unknown>;
}

const WISH = { Destination: 'https://listener.invalid/events', Protocol: 'Redfish', Context: 'rack 7' };

async function subscribed(change: object = {}): Promise<string> {
  const answer = await ask('POST', SUBSCRIPTIONS, { body: { ...WISH, ...change } });
  expect(answer.status).toBe(201);
  return new URL(answer.headers.get('location') ?? '', base).pathname;
}

describe('a subscription', () => {
  it('is made, shown without its headers, changed, and removed', async () => {
    const uri = await subscribed({ HttpHeaders: [{ 'X-Auth': 'hush' }], EventTypes: ['Alert'] });
    const shown = await json(ask('GET', uri));
    expect(shown).toMatchObject({
      ...WISH,
      HttpHeaders: [],
      SubscriptionType: 'RedfishEvent',
      EventTypes: ['Alert'],
    });
    expect(JSON.stringify(shown)).not.toContain('hush');
    expect((await ask('PATCH', uri, { body: { Context: 'rack 8', DeliveryRetryPolicy: 'RetryForever' } })).status).toBe(
      200,
    );
    expect(await json(ask('GET', uri))).toMatchObject({ Context: 'rack 8', DeliveryRetryPolicy: 'RetryForever' });
    expect(await json(ask('GET', SUBSCRIPTIONS))).toMatchObject({ 'Members@odata.count': 1 });
    expect((await ask('DELETE', uri)).status).toBeLessThan(300);
    expect((await ask('GET', uri)).status).toBe(404);
  });

  it('has another ETag with other headers, which tells nobody what they say', async () => {
    const uri = await subscribed({ HttpHeaders: [{ 'X-Auth': 'hush' }] });
    const { '@odata.etag': etag, ...rest } = await json(ask('GET', uri));
    const guess = JSON.stringify({ 'X-Auth': 'hush' }) + JSON.stringify(rest);
    expect(etag).not.toBe(`"${hash('sha256', guess, 'base64url').slice(0, 22)}"`);
    await ask('PATCH', uri, { body: { HttpHeaders: [{ 'X-Auth': 'hushed' }] } });
    expect((await json(ask('GET', uri)))['@odata.etag']).not.toBe(etag);
  });

  it('is told of when it is made, changed, resumed and removed, without what its headers say', async () => {
    const uri = await subscribed();
    await ask('PATCH', uri, { body: { VerifyCertificate: false, HttpHeaders: [{ 'X-Auth': 'hush' }] } });
    await ask('POST', `${uri}/Actions/EventDestination.ResumeSubscription`);
    await ask('DELETE', uri);
    expect(bmc.audited).toEqual([
      'subscribed listener.invalid to events',
      'changed VerifyCertificate, HttpHeaders of the event subscription 1',
      'resumed the event subscription 1',
      'ended the event subscription 1',
    ]);
  });

  it.each([
    ['no URL', { Destination: 'listener' }, 'PropertyValueFormatError'],
    ['another scheme', { Destination: 'ftp://listener.invalid/' }, 'PropertyValueFormatError'],
    ['credentials in it', { Destination: 'https://a:b@listener.invalid/' }, 'PropertyValueFormatError'],
    ['another protocol', { Protocol: 'Kafka' }, 'PropertyValueNotInList'],
    ['a header of HTTP itself', { HttpHeaders: [{ Host: 'elsewhere' }] }, 'PropertyValueError'],
    ['a header with a line break', { HttpHeaders: [{ 'X-A': 'a\r\nHost: b' }] }, 'PropertyValueError'],
  ])('with %s is refused', async (_what, change, message) => {
    const answer = await ask('POST', SUBSCRIPTIONS, { body: { ...WISH, ...change } });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(message);
  });

  it.each([
    ['http://169.254.169.254/latest/meta-data', 'link-local'],
    ['http://[fe80::1]/', 'link-local'],
    ['http://0.0.0.0/', 'unspecified'],
    ['http://127.0.0.1:623/', 'this machine itself'],
    ['http://rebound.example/', 'this machine itself'],
    ['https://10.96.0.1/api/v1/secrets', 'the Kubernetes API'],
  ])('to %s is refused, and says what to do', async (Destination, why) => {
    bmc.listeners.allowsLoopback = false;
    bmc.listeners.ownApi = { host: '10.96.0.1', port: 443 };
    bmc.listeners.resolve = () => Promise.resolve(['127.0.0.1']);
    const answer = await ask('POST', SUBSCRIPTIONS, { body: { ...WISH, Destination } });
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: { '@Message.ExtendedInfo': object[] } };
    expect(error['@Message.ExtendedInfo']).toMatchObject([
      {
        MessageId: 'Base.1.19.PropertyValueError',
        MessageArgs: ['Destination'],
        RelatedProperties: ['#/Destination'],
        Resolution: expect.stringMatching(`${why}.*: name `) as string,
      },
    ]);
    expect(bmc.state.current().subscriptions ?? []).toEqual([]);
  });

  it('is kept to the hosts that the owner allows', async () => {
    bmc.listeners.allowedHosts = () => ['listener.invalid', '127.0.0.1'];
    await subscribed();
    bmc.listeners.allowsLoopback = false;
    await subscribed({ Destination: 'http://127.0.0.1:9000/' });
    const answer = await ask('POST', SUBSCRIPTIONS, { body: { ...WISH, Destination: 'https://other.invalid/' } });
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining('spec.redfish.events.allowedHosts'),
    ]);
  });

  it('may name a host that is not known yet', async () => {
    bmc.listeners.resolve = () => Promise.reject(new Error('ENOTFOUND'));
    await subscribed();
  });

  it('says so where events do not reach its listener, and where its name leads to nowhere good by then', async () => {
    const uri = await subscribed({ DeliveryRetryPolicy: 'RetryForever', MessageIds: ['Groundcrew.PoweredOn'] });
    expect(await json(ask('GET', uri))).toMatchObject({ VerifyCertificate: true, Status: { Health: 'OK' } });
    bmc.listeners.resolve = () => Promise.resolve(['169.254.169.254']);
    bmc.machine.log.append({ kind: 'PowerState', state: 'On' });
    await expect
      .poll(() => bmc.undelivered)
      .toEqual([expect.stringContaining('listener.invalid Events may not be sent')]);
    const shown = await json(ask('GET', uri));
    expect(shown['Status']).toMatchObject({
      State: 'Enabled',
      Health: 'Warning',
      Conditions: [
        {
          MessageId: 'Base.1.19.CouldNotEstablishConnection',
          Severity: 'Warning',
          Resolution: expect.stringContaining('which is a link-local address') as string,
        },
      ],
    });
    if (hasSchemas()) expect(checkAgainstSchema(shown as never)).toEqual([]);
  });

  it('is refused to an account that has its half of all, and not to others', async () => {
    const owned = (owner: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({ id: `${owner}${index}`, isSuspended: true, owner }));
    await bmc.state.change(() => ({ subscriptions: owned('admin', 16) as never }));
    const answer = await ask('POST', SUBSCRIPTIONS, { body: WISH });
    expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([
      503,
      '60',
      expect.stringContaining('EventSubscriptionLimitExceeded'),
    ]);
    await bmc.state.change(() => ({ subscriptions: [...owned('other', 16), ...owned('admin', 15)] as never }));
    await subscribed();
  });

  it('is refused beside too many others, and to those who may not', async () => {
    const stored = Array.from({ length: 32 }, (_, index) => ({ id: `x${index}`, isSuspended: true }));
    await bmc.state.change(() => ({ subscriptions: stored as never }));
    const answer = await ask('POST', SUBSCRIPTIONS, { body: WISH });
    expect([answer.status, await answer.text()]).toEqual([
      503,
      expect.stringContaining('EventSubscriptionLimitExceeded'),
    ]);
    const asReader = await ask('POST', SUBSCRIPTIONS, { body: WISH, as: basic('reader', 'battery staple') });
    expect(asReader.status).toBe(403);
  });

  it('is taken up again after it was suspended', async () => {
    const uri = await subscribed();
    await bmc.state.change(({ subscriptions = [] }) => ({
      subscriptions: subscriptions.map((one) => ({ ...one, isSuspended: true })),
    }));
    expect(await json(ask('GET', uri))).toMatchObject({ Status: { State: 'Disabled' } });
    expect((await ask('POST', `${uri}/Actions/EventDestination.ResumeSubscription`)).status).toBe(204);
    expect(await json(ask('GET', uri))).toMatchObject({ Status: { State: 'Enabled' } });
  });

  it('is sent what it asked for, and what was written into the event log', async () => {
    const seen: { MessageId: string }[] = [];
    const listener = createServer((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        seen.push(...(JSON.parse(body) as { Events: { MessageId: string }[] }).Events);
        response.writeHead(204).end();
      });
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const Destination = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`;
    await subscribed({ Destination, MessageIds: ['Groundcrew.PoweredOn'] });
    await subscribed({
      Destination,
      ExcludeMessageIds: ['Groundcrew.1.0.PoweredOff', 'Groundcrew.PoweredOn'],
      ExcludeRegistryPrefixes: ['ResourceEvent'],
    });
    bmc.machine.log.append({ kind: 'PowerState', state: 'Off' });
    bmc.machine.log.append({ kind: 'PowerState', state: 'On' });
    await expect.poll(() => seen.length).toBe(1);
    expect(seen[0]).toMatchObject({
      MessageId: 'Groundcrew.1.0.PoweredOn',
      EventType: 'Alert',
      OriginOfCondition: { '@odata.id': '/redfish/v1/Systems/1' },
    });
    listener.closeAllConnections();
    listener.close();
  });
});

/** Reads a stream's events as they come. */
class Events {
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

async function streamed(query = '', headers: Record<string, string> = {}, as?: string): Promise<Events> {
  const answer = await ask('GET', `${SERVICE}/SSE${query}`, { headers, ...(as === undefined ? {} : { as }) });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream;charset=utf-8']);
  return new Events(answer);
}

describe('a stream', () => {
  it('tells of events as they happen, of those that were missed, and is shown as a subscription', async () => {
    const events = await streamed();
    bmc.machine.log.append({ kind: 'PowerState', state: 'On' });
    const first = await events.next();
    expect(first).toMatchObject({ data: { Id: first?.id, Events: [{ MessageId: 'Groundcrew.1.0.PoweredOn' }] } });
    bmc.machine.log.append({ kind: 'PowerState', state: 'Off' });
    const again = await streamed('', { 'Last-Event-ID': first?.id ?? '' });
    expect(await again.next()).toMatchObject({
      id: String(Number(first?.id) + 1),
      data: { Events: [{ MessageId: 'Groundcrew.1.0.PoweredOff' }] },
    });
    const { Members } = (await json(ask('GET', SUBSCRIPTIONS))) as { Members: { '@odata.id': string }[] };
    expect(Members.map((member) => member['@odata.id'])).toEqual([`${SUBSCRIPTIONS}/SSE1`, `${SUBSCRIPTIONS}/SSE2`]);
    expect(await json(ask('GET', `${SUBSCRIPTIONS}/SSE1`))).toMatchObject({ SubscriptionType: 'SSE' });
    await events.next();
    await ask('DELETE', `${SUBSCRIPTIONS}/SSE1`);
    expect(await events.next()).toBeUndefined();
    await again.close();
  });

  it('passes what its filter names alone', async () => {
    const events = await streamed(`?$filter=${encodeURIComponent("MessageId eq 'Groundcrew.1.0.PoweredOff'")}`);
    const types = await streamed(
      `?$filter=${encodeURIComponent("ResourceType eq 'Manager' or RegistryPrefix eq 'None'")}`,
    );
    const requester = { protocol: 'IPMI', user: 'x', address: '192.0.2.7' } as const;
    bmc.machine.log.append({ kind: 'PowerState', state: 'On' });
    bmc.machine.log.append({ kind: 'PowerState', state: 'Off' });
    bmc.machine.log.append({ kind: 'LoginFailed', why: 'WrongPassword', requester });
    expect(await events.next()).toMatchObject({ data: { Events: [{ MessageId: 'Groundcrew.1.0.PoweredOff' }] } });
    expect(await types.next()).toMatchObject({ data: { Events: [{ MessageId: 'Groundcrew.1.0.LoginFailed' }] } });
    await Promise.all([events.close(), types.close()]);
    expect((await ask('GET', `${SERVICE}/SSE?$filter=nonsense%20(`)).status).toBe(400);
  });

  it('ends when its account may not log in any more', async () => {
    const events = await streamed('', {}, basic('reader', 'battery staple'));
    await bmc.options.accounts.change(3, { enabled: false });
    bmc.runScheduled();
    expect(await events.next()).toBeUndefined();
  });

  it('ends for those who leave, and is refused beside too many others', async () => {
    const names = Array.from({ length: 5 }, (_, index) => `watcher${index}`);
    bmc.options.accounts = new MemoryAccounts(
      ADMIN,
      names.map((username, index) => memoryAccount(3 + index, { username, password: 'battery staple' })),
    );
    await restarted();
    const all: Events[] = [];
    for (const name of names.slice(0, 4)) {
      const as = basic(name, 'battery staple');
      for (let count = 0; count < 4; count += 1) all.push(await streamed('', {}, as));
      // No account takes them all.
      const refused = await ask('GET', `${SERVICE}/SSE`, { as });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
      expect(await refused.text()).toContain('EventSubscriptionLimitExceeded');
    }
    expect((await ask('GET', `${SERVICE}/SSE`, { as: basic('watcher4', 'battery staple') })).status).toBe(503);
    await Promise.all(all.map((events) => events.close()));
    await expect.poll(async () => (await json(ask('GET', SUBSCRIPTIONS)))['Members@odata.count']).toBe(0);
  });

  it('is for those who are logged in', async () => {
    expect((await fetch(`${base}${SERVICE}/SSE`)).status).toBe(401);
    expect((await ask('HEAD', `${SERVICE}/SSE`)).status).toBe(200);
  });
});

describe('the event service', () => {
  it('sends a test event, and keeps how often it tries', async () => {
    const events = await streamed();
    const target = `${SERVICE}/Actions/EventService.SubmitTestEvent`;
    expect((await ask('POST', target, { body: { MessageId: 'Base.1.19.Success', Message: 'hello' } })).status).toBe(
      204,
    );
    expect(await events.next()).toMatchObject({
      data: { Events: [{ MessageId: 'Base.1.19.Success', Message: 'hello' }] },
    });
    expect((await ask('POST', target, { body: {} })).status).toBe(204);
    expect(await events.next()).toMatchObject({ data: { Events: [{ MessageId: 'ResourceEvent.1.4.TestMessage' }] } });
    await events.close();
    const change = { DeliveryRetryAttempts: 7, DeliveryRetryIntervalSeconds: 5 };
    expect((await ask('PATCH', SERVICE, { body: change })).status).toBe(200);
    expect(await json(ask('GET', SERVICE))).toMatchObject(change);
    expect((await ask('PATCH', SERVICE, { body: { DeliveryRetryAttempts: 1000 } })).status).toBe(400);
    expect(bmc.audited).toEqual(['EventService: DeliveryRetryAttempts, DeliveryRetryIntervalSeconds changed']);
  });

  if (hasSchemas()) {
    it('is as its schemas say', async () => {
      const uri = await subscribed({ RegistryPrefixes: ['Groundcrew'], ResourceTypes: ['ComputerSystem'] });
      const events = await streamed();
      for (const path of [SERVICE, SUBSCRIPTIONS, uri, `${SUBSCRIPTIONS}/SSE1`]) {
        expect(checkAgainstSchema((await json(ask('GET', path))) as never)).toEqual([]);
      }
      bmc.machine.log.append({ kind: 'PowerState', state: 'On' });
      // An event is sent, and stands nowhere.
      const problems = checkAgainstSchema((await events.next())?.data as never, { legacy: true });
      expect(problems.filter((problem) => !problem.includes('@odata.id: is required'))).toEqual([]);
      await events.close();
    });
  }
});
