import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkAgainstSchema, needsSchemas } from '../testing/index.ts';
import { SUBSCRIPTIONS } from './event-record.ts';
import { EventBench, WISH } from '../testing/event-bench.ts';

let bench: EventBench;

beforeEach(async () => {
  bench = await EventBench.start();
});

afterEach(async () => {
  await bench.close();
});

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
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const Destination = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`;
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
    listener.closeAllConnections();
    listener.close();
  });
});
