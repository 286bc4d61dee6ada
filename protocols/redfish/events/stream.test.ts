import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { MemoryAccounts } from '../../testing/index.ts';
import type { Caller } from '../resource.ts';
import { eventBench, type SentEvents } from '../testing/event-bench.ts';
import { FakeBmc } from '../testing/index.ts';
import { EVENT_SERVICE, SESSIONS } from '../uris.ts';
import { SUBSCRIPTIONS } from './event-record.ts';
import { createEventHub } from './hub.ts';
import { Streams } from './stream.ts';

const bench = eventBench();

describe('an event stream', () => {
  it('sends new and missed events, and is shown as a subscription', async () => {
    const events = await bench.stream();
    bench.bmc.machine.log.append({ kind: 'PowerState', state: 'On' });
    const first = await events.next();
    expect(first).toMatchObject({ data: { Id: first?.id, Events: [{ MessageId: 'Groundcrew.1.0.PoweredOn' }] } });
    bench.bmc.machine.log.append({ kind: 'PowerState', state: 'Off' });
    const again = await bench.stream('', { headers: { 'Last-Event-ID': first?.id ?? '' } });
    expect(await again.next()).toMatchObject({
      id: String(Number(first?.id) + 1),
      data: { Events: [{ MessageId: 'Groundcrew.1.0.PoweredOff' }] },
    });
    const { Members } = (await bench.read(SUBSCRIPTIONS)) as { Members: { '@odata.id': string }[] };
    expect(Members.map((member) => member['@odata.id'])).toEqual([`${SUBSCRIPTIONS}/SSE1`, `${SUBSCRIPTIONS}/SSE2`]);
    expect(await bench.read(`${SUBSCRIPTIONS}/SSE1`)).toMatchObject({ SubscriptionType: 'SSE' });
    await events.next();
    await bench.ask('DELETE', `${SUBSCRIPTIONS}/SSE1`);
    expect(await events.next()).toBeUndefined();
    await again.close();
  });

  it('sends only events that match its filter', async () => {
    const events = await bench.stream(`?$filter=${encodeURIComponent("MessageId eq 'Groundcrew.1.0.PoweredOff'")}`);
    const types = await bench.stream(
      `?$filter=${encodeURIComponent("ResourceType eq 'Manager' or RegistryPrefix eq 'ResourceEvent'")}`,
    );
    const requester = { protocol: 'IPMI', user: 'x', address: '192.0.2.7' } as const;
    bench.bmc.machine.log.append({ kind: 'PowerState', state: 'On' });
    bench.bmc.machine.log.append({ kind: 'PowerState', state: 'Off' });
    bench.bmc.machine.log.append({ kind: 'LoginFailed', why: 'WrongPassword', requester });
    expect(await events.next()).toMatchObject({ data: { Events: [{ MessageId: 'Groundcrew.1.0.PoweredOff' }] } });
    expect(await types.next()).toMatchObject({ data: { Events: [{ MessageId: 'Groundcrew.1.0.LoginFailed' }] } });
    await Promise.all([events.close(), types.close()]);
    expect((await bench.ask('GET', `${EVENT_SERVICE}/SSE?$filter=nonsense%20(`)).status).toBe(400);
  });

  it.each([
    ["$filter=Colour eq 'red'", 400],
    ["$filter=RegistryPrefix eq 'None'", 400],
    ["$filter=ResourceType eq 'Fan'", 400],
    ["$filter=EventFormatType eq 'MetricReport'", 400],
    ['$filter=MessageId eq 7', 400],
    ["$filter=MessageId gt 'a'", 400],
    ["$filter=MessageId/x eq 'a'", 400],
    ['$filter=MessageId', 400],
    ["$filter='a' eq 'a'", 400],
    ["$filter=not (Colour eq 'red')", 400],
    ["$filter=MessageId eq 'a' or Colour eq 'red'", 400],
    ['$filter=', 400],
    ['$top=1', 400],
    ['only', 400],
    ['$unknown=1', 501],
    ["$filter=MessageId ne 'a' and not (RegistryPrefix eq 'ResourceEvent')", 200],
    ['', 200],
  ])('with the query %s answers %i: a filter that no event passes would be silent forever', async (query, status) => {
    expect((await bench.ask('HEAD', `${EVENT_SERVICE}/SSE?${encodeURI(query)}`)).status).toBe(status);
  });

  it('outlasts its session and tells its end (DSP0266, session termination side effects)', async () => {
    const { headers } = await bench.ask('POST', SESSIONS, {
      body: { UserName: 'reader', Password: 'battery staple' },
    });
    const events = await bench.stream('', { headers: { 'X-Auth-Token': headers.get('x-auth-token') ?? '' } });
    const session = headers.get('location') ?? '';
    expect((await bench.ask('DELETE', session)).status).toBe(204);
    expect(await events.next()).toMatchObject({
      data: { Events: [{ EventType: 'ResourceRemoved', OriginOfCondition: { '@odata.id': session } }] },
    });
    bench.bmc.runScheduled();
    bench.bmc.machine.log.append({ kind: 'PowerState', state: 'On' });
    expect(await events.next()).toMatchObject({ data: { Events: [{ MessageId: 'Groundcrew.1.0.PoweredOn' }] } });
    await events.close();
  });

  it('ends if its account can no longer log in', async () => {
    const events = await bench.stream('', { as: 'reader' });
    await bench.bmc.options.accounts.change(3, { enabled: false });
    bench.bmc.runScheduled();
    expect(await events.next()).toBeUndefined();
  });

  it('ends at once if its account is deleted, even if an account with the same name and ID is created', async () => {
    const events = await bench.stream('', { as: 'reader' });
    const other = await bench.stream();
    expect((await bench.ask('DELETE', '/redfish/v1/AccountService/Accounts/3')).status).toBe(204);
    const body = { UserName: 'reader', Password: 'battery staple', RoleId: 'ReadOnly' };
    expect((await bench.ask('POST', '/redfish/v1/AccountService/Accounts', { body })).status).toBe(201);
    expect(await events.next()).toBeUndefined();
    expect(await other.next()).toBeDefined();
    await other.close();
  });

  it('ends when the client disconnects, and is refused above the limit', async () => {
    const names = Array.from({ length: 5 }, (_, index) => `watcher${index}`);
    bench.accounts(...names);
    await bench.restart();
    const all: SentEvents[] = [];
    for (const as of names.slice(0, 4)) {
      for (let count = 0; count < 4; count += 1) all.push(await bench.stream('', { as }));
      // One account cannot use all streams.
      const refused = await bench.ask('GET', `${EVENT_SERVICE}/SSE`, { as });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
      expect(await refused.text()).toContain('EventSubscriptionLimitExceeded');
    }
    expect((await bench.ask('GET', `${EVENT_SERVICE}/SSE`, { as: 'watcher4' })).status).toBe(503);
    await Promise.all(all.map((events) => events.close()));
    await expect.poll(async () => (await bench.read(SUBSCRIPTIONS))['Members@odata.count']).toBe(0);
  });

  it('answers HEAD with its headers and opens no stream', async () => {
    const { status, headers } = await bench.ask('HEAD', `${EVENT_SERVICE}/SSE`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream;charset=utf-8']);
    expect((await bench.ask('HEAD', `${EVENT_SERVICE}/SSE?$filter=nonsense%20(`)).status).toBe(400);
    expect(await bench.read(SUBSCRIPTIONS)).toMatchObject({ 'Members@odata.count': 0 });
  });

  it('requires a log-in', async () => {
    expect((await bench.askAnonymously(`${EVENT_SERVICE}/SSE`)).status).toBe(401);
  });
});

/** A response whose client reads nothing, according to `writableLength`. */
class Unread extends EventEmitter {
  readonly written: string[] = [];
  writableLength = 0;
  writableEnded = false;
  writeHead = (): this => this;
  write = (text: string): boolean => {
    if (this.writableEnded) throw new Error('write after end');
    this.written.push(text);
    this.writableLength += text.length;
    return false;
  };
  end = (): this => {
    this.writableEnded = true;
    return this;
  };
}

function streamBench() {
  const bmc = new FakeBmc();
  bmc.options.accounts = new MemoryAccounts({ username: 'admin', password: 'any' });
  const [account] = bmc.options.accounts.list();
  if (account === undefined) throw new Error('there is no account');
  const hub = createEventHub(bmc.options, () => Promise.resolve());
  const streams = new Streams({ ...bmc.context, events: hub });
  const requester = { protocol: 'Redfish', user: account.name, address: '192.0.2.1' } as const;
  const caller: Caller = { account, requester };
  const open = (headers: Record<string, string> = {}): Unread => {
    const response = new Unread();
    const request = { url: '/redfish/v1/EventService/SSE', headers };
    // Has all that a stream uses of both.
    streams.open(request as unknown as IncomingMessage, response as unknown as ServerResponse, caller);
    return response;
  };
  return { bmc, hub, streams, open };
}

describe('a stream', () => {
  it('sends heartbeats, the first at once', () => {
    const { bmc, open } = streamBench();
    const response = open();
    expect(response.written).toEqual([': alive\n\n']);
    bmc.runScheduled();
    bmc.runScheduled();
    expect(response.written).toEqual([': alive\n\n', ': alive\n\n', ': alive\n\n']);
  });

  it('ends if its client does not read and the buffer limit is reached; others continue', () => {
    const { hub, streams, open } = streamBench();
    const idle = open();
    const reader = open();
    const event = {
      messageId: 'Base.1.19.Success',
      message: 'x'.repeat(1024),
      messageArgs: [],
      severity: 'OK',
    } as const;
    for (let count = 0; count < 3000 && !idle.writableEnded; count += 1) {
      hub.publish(event);
      reader.writableLength = 0;
    }
    expect(idle.writableEnded).toBe(true);
    expect(idle.writableLength).toBeLessThan(1.1 * 1024 * 1024);
    expect(reader.writableEnded).toBe(false);
    expect(streams.ids()).toEqual(['SSE2']);
    const count = idle.written.length;
    hub.publish(event);
    expect(idle.written).toHaveLength(count);
  });

  it('ends at a heartbeat without buffer space, even if the client reads later', () => {
    const { bmc, streams, open } = streamBench();
    const response = open();
    response.writableLength = 2 * 1024 * 1024;
    bmc.runScheduled();
    expect(response.writableEnded).toBe(true);
    expect(streams.ids()).toEqual([]);
    response.writableLength = 0;
    bmc.runScheduled();
    expect(response.written).toEqual([': alive\n\n']);
  });

  it('ends on shutdown, with a reconnection time', () => {
    const { hub, streams, open } = streamBench();
    const response = open();
    hub.leave();
    expect(response.written.at(-1)).toMatch(/^retry: 2000\n: the service goes down/);
    expect(response.writableEnded).toBe(true);
    expect(streams.ids()).toEqual([]);
    const count = response.written.length;
    hub.leave();
    expect(response.written).toHaveLength(count);
    expect(open().writableEnded).toBe(true);
  });

  it('starts with new events if the last ID is invalid', () => {
    const { hub, open } = streamBench();
    hub.publish({ messageId: 'Base.1.19.Success', message: 'm', messageArgs: [], severity: 'OK' });
    for (const id of ['', 'nonsense', '-1', '1e999', '99999999999999999999']) {
      const response = open({ 'last-event-id': id });
      expect(response.written).toEqual([': alive\n\n']);
      response.emit('close');
    }
  });
});
