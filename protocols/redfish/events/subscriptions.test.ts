import { hash } from 'node:crypto';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { eventBench, WISH } from '../testing/event-bench.ts';
import { aSubscription, checkAgainstSchema, listening, needsSchemas } from '../testing/index.ts';
import { SUBSCRIPTIONS } from './event-record.ts';

const bench = eventBench();

describe('event destinations', () => {
  it.each([
    ['http://169.254.169.254/latest/meta-data', 'link-local'],
    ['http://[fe80::1]/', 'link-local'],
    ['http://0.0.0.0/', 'unspecified'],
    ['http://127.0.0.1:623/', 'this machine itself'],
    ['http://rebound.example/', 'this machine itself'],
    ['https://10.96.0.1/api/v1/secrets', 'the platform API'],
  ])('at %s are refused with a sentence that says what to do', async (Destination, why) => {
    bench.bmc.listeners.allowsLoopback = false;
    bench.bmc.listeners.ownApi = { host: '10.96.0.1', port: 443 };
    bench.bmc.listeners.resolve = () => Promise.resolve(['127.0.0.1']);
    const answer = await bench.ask('POST', SUBSCRIPTIONS, { body: { ...WISH, Destination } });
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
    expect(bench.bmc.state.current().subscriptions ?? []).toEqual([]);
  });

  it('are limited to the hosts that the owner allows', async () => {
    bench.bmc.listeners.allowedHosts = () => ['listener.invalid', '127.0.0.1'];
    await bench.subscribe();
    bench.bmc.listeners.allowsLoopback = false;
    await bench.subscribe({ Destination: 'http://127.0.0.1:9000/' });
    const answer = await bench.ask('POST', SUBSCRIPTIONS, { body: { ...WISH, Destination: 'https://other.invalid/' } });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('the list of hosts')]);
  });

  it('may name a host that does not resolve yet', async () => {
    bench.bmc.listeners.resolve = () => Promise.reject(new Error('ENOTFOUND'));
    await bench.subscribe();
  });

  /** The subscription after a failed delivery. */
  const afterFailure = async () => {
    const uri = await bench.subscribe({ DeliveryRetryPolicy: 'RetryForever', MessageIds: ['Groundcrew.PoweredOn'] });
    expect(await bench.read(uri)).toMatchObject({ VerifyCertificate: true, Status: { Health: 'OK' } });
    bench.bmc.listeners.resolve = () => Promise.resolve(['169.254.169.254']);
    bench.bmc.machine.log.append({ kind: 'PowerState', state: 'On' });
    await expect
      .poll(() => bench.bmc.undelivered)
      .toEqual([expect.stringContaining('listener.invalid Events may not be sent')]);
    return await bench.read(uri);
  };

  it('show a Condition if events do not arrive, or if the name resolves to a forbidden address', async () => {
    expect((await afterFailure())['Status']).toMatchObject({
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
  });

  it('conform to their schema after a failed delivery', needsSchemas, async () => {
    expect(checkAgainstSchema((await afterFailure()) as never)).toEqual([]);
  });

  it('receive the selected entries of the event log', async () => {
    const seen: { MessageId: string }[] = [];
    const listener = createServer((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        seen.push(...(JSON.parse(body) as { Events: { MessageId: string }[] }).Events);
        response.writeHead(204).end();
      });
    });
    await using served = await listening(listener);
    const Destination = `${served.url}/`;
    await bench.subscribe({ Destination, MessageIds: ['Groundcrew.PoweredOn'] });
    await bench.subscribe({
      Destination,
      ExcludeMessageIds: ['Groundcrew.1.0.PoweredOff', 'Groundcrew.PoweredOn'],
      ExcludeRegistryPrefixes: ['ResourceEvent'],
    });
    bench.bmc.machine.log.append({ kind: 'PowerState', state: 'Off' });
    bench.bmc.machine.log.append({ kind: 'PowerState', state: 'On' });
    // The second subscription wants this event, after several that it filters out.
    const requester = { protocol: 'Redfish', user: 'admin', address: '192.0.2.1' } as const;
    bench.bmc.machine.log.append({ kind: 'LoginFailed', requester, why: 'WrongPassword' });
    await expect.poll(() => seen.length).toBe(2);
    const byId = seen.toSorted((one, other) => one.MessageId.localeCompare(other.MessageId));
    expect(byId).toMatchObject([
      { MessageId: 'Groundcrew.1.0.LoginFailed' },
      {
        MessageId: 'Groundcrew.1.0.PoweredOn',
        EventType: 'Alert',
        OriginOfCondition: { '@odata.id': '/redfish/v1/Systems/1' },
      },
    ]);
  });
});

describe('a subscription', () => {
  it('is created, shown without its headers, changed and deleted', async () => {
    const uri = await bench.subscribe({ HttpHeaders: [{ 'X-Auth': 'hush' }], EventTypes: ['Alert'] });
    const shown = await bench.read(uri);
    expect(shown).toMatchObject({
      ...WISH,
      HttpHeaders: [],
      SubscriptionType: 'RedfishEvent',
      EventTypes: ['Alert'],
    });
    expect(JSON.stringify(shown)).not.toContain('hush');
    expect(
      (await bench.ask('PATCH', uri, { body: { Context: 'rack 8', DeliveryRetryPolicy: 'RetryForever' } })).status,
    ).toBe(200);
    expect(await bench.read(uri)).toMatchObject({ Context: 'rack 8', DeliveryRetryPolicy: 'RetryForever' });
    expect(await bench.read(SUBSCRIPTIONS)).toMatchObject({ 'Members@odata.count': 1 });
    expect((await bench.ask('DELETE', uri)).status).toBeLessThan(300);
    expect((await bench.ask('GET', uri)).status).toBe(404);
  });

  it('changes its ETag with its headers without revealing them', async () => {
    const uri = await bench.subscribe({ HttpHeaders: [{ 'X-Auth': 'hush' }] });
    const { '@odata.etag': etag, ...rest } = await bench.read(uri);
    const guess = JSON.stringify({ 'X-Auth': 'hush' }) + JSON.stringify(rest);
    expect(etag).not.toBe(`"${hash('sha256', guess, 'base64url').slice(0, 22)}"`);
    await bench.ask('PATCH', uri, { body: { HttpHeaders: [{ 'X-Auth': 'hushed' }] } });
    expect((await bench.read(uri))['@odata.etag']).not.toBe(etag);
  });

  it('is reported when created, changed, resumed and deleted, without its headers', async () => {
    const uri = await bench.subscribe();
    await bench.ask('PATCH', uri, { body: { VerifyCertificate: false, HttpHeaders: [{ 'X-Auth': 'hush' }] } });
    await bench.ask('POST', `${uri}/Actions/EventDestination.ResumeSubscription`);
    await bench.ask('DELETE', uri);
    expect(bench.bmc.audited).toEqual([
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
    const answer = await bench.ask('POST', SUBSCRIPTIONS, { body: { ...WISH, ...change } });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(message);
  });

  it('is refused to an account at its limit, but not to others', async () => {
    const owned = (owner: string, count: number) =>
      Array.from({ length: count }, (_, index) => aSubscription(`${owner}${index}`, { isSuspended: true, owner }));
    await bench.bmc.state.change(() => ({ subscriptions: owned('admin', 16) }));
    const answer = await bench.ask('POST', SUBSCRIPTIONS, { body: WISH });
    expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([
      503,
      '60',
      expect.stringContaining('EventSubscriptionLimitExceeded'),
    ]);
    await bench.bmc.state.change(() => ({ subscriptions: [...owned('reader', 16), ...owned('admin', 15)] }));
    await bench.subscribe();
  });

  it('is refused at the total limit, and without the privilege', async () => {
    const stored = Array.from({ length: 32 }, (_, index) =>
      aSubscription(`x${index}`, { isSuspended: true, owner: 'reader' }),
    );
    await bench.bmc.state.change(() => ({ subscriptions: stored }));
    const answer = await bench.ask('POST', SUBSCRIPTIONS, { body: WISH });
    expect([answer.status, await answer.text()]).toEqual([
      503,
      expect.stringContaining('EventSubscriptionLimitExceeded'),
    ]);
    const asReader = await bench.ask('POST', SUBSCRIPTIONS, { body: WISH, as: 'reader' });
    expect(asReader.status).toBe(403);
  });

  it('ends with its account; a later account with the same name and ID cannot change others', async () => {
    const { accounts } = bench.bmc.options;
    await accounts.change(3, { role: 'Operator' });
    const uri = await bench.subscribe({}, 'reader');
    const change = { body: { Context: 'rack 8' }, as: 'reader' };
    expect((await bench.ask('PATCH', uri, change)).status).toBe(200);
    const account = '/redfish/v1/AccountService/Accounts/3';
    expect((await bench.ask('DELETE', account)).status).toBe(204);
    expect((await bench.ask('GET', uri)).status).toBe(404);
    expect(await bench.read(SUBSCRIPTIONS)).toMatchObject({ 'Members@odata.count': 0 });
    const body = { UserName: 'reader', Password: 'battery staple', RoleId: 'Operator' };
    expect((await bench.ask('POST', '/redfish/v1/AccountService/Accounts', { body })).headers.get('location')).toBe(
      account,
    );
    expect((await bench.ask('PATCH', uri, change)).status).toBe(404);
    expect(bench.bmc.unsubscribed).toEqual(['listener.invalid AccountGone']);
  });

  it('is resumed after a suspension', async () => {
    const uri = await bench.subscribe();
    await bench.bmc.state.change(({ subscriptions = [] }) => ({
      subscriptions: subscriptions.map((one) => ({ ...one, isSuspended: true })),
    }));
    expect(await bench.read(uri)).toMatchObject({ Status: { State: 'Disabled' } });
    expect((await bench.ask('POST', `${uri}/Actions/EventDestination.ResumeSubscription`)).status).toBe(204);
    expect(await bench.read(uri)).toMatchObject({ Status: { State: 'Enabled' } });
  });
});
