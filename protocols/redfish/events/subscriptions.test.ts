import { hash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aSubscription } from '../testing/index.ts';
import { SUBSCRIPTIONS } from './event-record.ts';
import { EventBench, WISH } from '../testing/event-bench.ts';

let bench: EventBench;

beforeEach(async () => {
  bench = await EventBench.start();
});

afterEach(async () => {
  await bench.close();
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
