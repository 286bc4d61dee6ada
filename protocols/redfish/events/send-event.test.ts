import { describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { UnfinishedLookup } from '../../hosts/index.ts';
import { MachineError } from '../../machine/index.ts';
import type { ListenerPolicy } from '../options.ts';
import { FakeBmc, selfSigned } from '../testing/index.ts';
import { deliveryProblem, ListenerRefusal, PATIENCE, sendEvent } from './post-event.ts';

const POSTING = { destination: 'http://listener.example/', headers: {}, body: '{}', verifiesCertificate: true };

const problemOf = (error: unknown): string => deliveryProblem(error, 'add its CA');

/** Timers that the test runs explicitly. */
function bench(resolve: ListenerPolicy['resolve']) {
  const timers: { work: () => void; delay: number }[] = [];
  const options = {
    listeners: { ...new FakeBmc().listeners, allowsLoopback: false, resolve },
    schedule: (work: () => void, delay: number) => {
      const timer = { work, delay };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
  };
  return { timers, why: () => sendEvent(POSTING, options).then(() => 'sent', problemOf) };
}

describe('sendEvent', () => {
  it('checks the address at each delivery', async () => {
    const { why, timers } = bench(() => Promise.resolve(['169.254.169.254']));
    expect(await why()).toContain('which is a link-local address');
    expect(timers).toEqual([]);
  });

  it('includes the DNS lookup in its timeout', async () => {
    const { why, timers } = bench(() => new Promise(() => undefined));
    const outcome = why();
    expect(timers.map(({ delay }) => delay)).toEqual([PATIENCE]);
    timers[0]?.work();
    expect(await outcome).toBe('The listener did not answer in time');
    expect(timers).toEqual([]);
  });

  it('sends nothing after its timeout', async () => {
    const found = Promise.withResolvers<readonly string[]>();
    const { why, timers } = bench(() => found.promise);
    const outcome = why();
    timers[0]?.work();
    found.resolve(['192.0.2.80']);
    expect(await outcome).toBe('The listener did not answer in time');
  });
});

describe('a listener with a certificate of a private CA', () => {
  it('is trusted with the owner’s CA; verification applies unless the client disables it', async () => {
    const certificate = await selfSigned('listener.example');
    const server = createServer(certificate, (_request, response) => response.writeHead(204).end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    let asked = 0;
    const attempt = async (host: string, ca: readonly string[] | undefined, verifiesCertificate = true) => {
      const authorities = () => {
        asked += 1;
        return Promise.resolve(ca);
      };
      const resolve = () => Promise.resolve(['127.0.0.1']);
      const listeners = { ...new FakeBmc().listeners, resolve, authorities };
      const posting = { ...POSTING, destination: `https://${host}:${port}/`, verifiesCertificate };
      return await sendEvent(posting, { listeners, schedule: () => () => undefined }).then(() => 'sent', problemOf);
    };
    try {
      expect(await attempt('listener.example', [certificate.cert])).toBe('sent');
      expect(await attempt('other.example', [certificate.cert])).toMatch(
        /is not trusted \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
      );
      expect(await attempt('listener.example', undefined)).toMatch(/is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
      expect(asked).toBe(3);
      expect(await attempt('listener.example', undefined, false)).toBe('sent');
      expect(asked).toBe(3);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe('the reason for a failed delivery', () => {
  const coded = (code: string): Error => Object.assign(new Error('it said: hush'), { code });

  it.each([
    [new MachineError('Unavailable', 'the CA file is empty'), 'the CA file is empty'],
    [new UnfinishedLookup('TooManyLookups', 'try again'), 'The listener cannot be found: try again'],
    [new ListenerRefusal(503), 'The listener answered 503'],
    [coded('ENOTFOUND'), 'The host name of the listener cannot be resolved'],
    [coded('DEPTH_ZERO_SELF_SIGNED_CERT'), /certificate is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\): add its CA/],
    [coded('ERR_TLS_CERT_ALTNAME_INVALID'), /certificate is not trusted/],
    [coded('ECONNREFUSED'), 'The listener cannot be reached (ECONNREFUSED)'],
    [new Error('it said: hush'), 'The listener cannot be reached (no answer)'],
    ['nonsense', 'The listener cannot be reached (no answer)'],
  ])('%s', (error, text) => {
    const why = problemOf(error);
    if (typeof text === 'string') expect(why).toBe(text);
    else expect(why).toMatch(text);
    expect(why).not.toContain('hush');
  });
});
