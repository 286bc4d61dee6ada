import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UnfinishedLookup } from '../../hosts/index.ts';
import { MachineError } from '../../machine/index.ts';
import type { ListenerPolicy } from '../options.ts';
import { FakeBmc, listening, selfSigned } from '../testing/index.ts';
import {
  admitDestination,
  deliveryProblem,
  ListenerRefusal,
  PATIENCE,
  postEvent,
  RefusedDestination,
  sendEvent,
} from './post-event.ts';

/** The port of a server that is closed after the test. */
async function portOf(server: Server): Promise<number> {
  const served = await listening(server);
  onTestFinished(() => served[Symbol.asyncDispose]());
  return served.port;
}

const WAY = { addresses: ['127.0.0.1'], signal: new AbortController().signal };
const POSTING = { headers: { 'X-Key': 'k' }, body: '{"Id":"1"}', verifiesCertificate: true };

it('posts an event as JSON and accepts any 2xx', async () => {
  const seen: unknown[] = [];
  const port = await portOf(
    createServer((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        seen.push([request.method, request.url, request.headers['content-type'], request.headers['x-key'], body]);
        response.writeHead(202).end('thanks');
      });
    }),
  );
  await postEvent({ ...POSTING, destination: `http://127.0.0.1:${port}/events?rack=7` }, WAY);
  expect(seen).toEqual([['POST', '/events?rack=7', 'application/json;charset=utf-8', 'k', '{"Id":"1"}']]);
});

it('fails if the connection is refused', async () => {
  const server = createServer();
  const port = await portOf(server);
  server.close();
  await once(server, 'close');
  await expect(postEvent({ ...POSTING, destination: `http://127.0.0.1:${port}/` }, WAY)).rejects.toThrow(
    /ECONNREFUSED/,
  );
});

it('is sent once if the listener resets the connection instead of an answer', async () => {
  const posts: unknown[] = [];
  const port = await portOf(
    createServer((request) => {
      request.resume().on('end', () => {
        posts.push(request.url);
        request.socket.resetAndDestroy();
      });
    }),
  );
  await expect(postEvent({ ...POSTING, destination: `http://127.0.0.1:${port}/` }, WAY)).rejects.toThrow('ECONNRESET');
  expect(posts).toEqual(['/']);
});

it('verifies the listener’s certificate unless disabled', async () => {
  const port = await portOf(
    createSecureServer(await selfSigned('listener'), (_request, response) => response.writeHead(204).end()),
  );
  const destination = `https://127.0.0.1:${port}/`;
  await expect(postEvent({ ...POSTING, destination }, WAY)).rejects.toThrow(/self-signed certificate/);
  await postEvent({ ...POSTING, destination, verifiesCertificate: false }, WAY);
});

it('connects to the evaluated address and sends the original host name', async () => {
  const hosts: unknown[] = [];
  const port = await portOf(
    createServer((request, response) => {
      hosts.push(request.headers.host);
      response.writeHead(204).end();
    }),
  );
  await postEvent({ ...POSTING, destination: `http://listener.invalid:${port}/` }, WAY);
  // Both addresses are tried in parallel if one does not answer (RFC 8305).
  const addresses = ['::1', '127.0.0.1'];
  await postEvent({ ...POSTING, destination: `http://listener.invalid:${port}/` }, { ...WAY, addresses });
  expect(hosts).toEqual([`listener.invalid:${port}`, `listener.invalid:${port}`]);
});

it('fails if the listener does not answer 2xx, and follows no redirect', async () => {
  let visits = 0;
  const elsewhere = await portOf(
    createServer((_request, response) => {
      visits += 1;
      response.writeHead(204).end();
    }),
  );
  for (const status of [301, 302, 307, 308, 400, 500]) {
    const Location = `http://127.0.0.1:${elsewhere}/`;
    const port = await portOf(createServer((_request, response) => response.writeHead(status, { Location }).end()));
    await expect(postEvent({ ...POSTING, destination: `http://127.0.0.1:${port}/` }, WAY)).rejects.toThrow(
      `the listener answered ${status}`,
    );
  }
  expect(visits).toBe(0);
});

it('resolves at the status line, however long the body is', async () => {
  const port = await portOf(
    createServer((_request, response) => {
      response.writeHead(200);
      // The response never ends.
      response.write('x'.repeat(100_000));
    }),
  );
  await postEvent({ ...POSTING, destination: `http://127.0.0.1:${port}/` }, WAY);
});

it('can be aborted', async () => {
  const end = new AbortController();
  const port = await portOf(
    createServer(() => {
      end.abort(new Error('too late'));
    }),
  );
  const { signal } = end;
  await expect(
    postEvent({ ...POSTING, destination: `http://127.0.0.1:${port}/` }, { ...WAY, signal }),
  ).rejects.toThrow();
});

const EVENT = { destination: 'http://listener.example/', headers: {}, body: '{}', verifiesCertificate: true };

const problemOf = (error: unknown): string => deliveryProblem(error, 'add its CA');

/** Timers that the test runs explicitly. */
function deliveryBench(resolve: ListenerPolicy['resolve']) {
  const timers: { work: () => void; delay: number }[] = [];
  const options = {
    listeners: { ...new FakeBmc().listeners, allowsLoopback: false, resolve },
    schedule: (work: () => void, delay: number) => {
      const timer = { work, delay };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
  };
  return { timers, why: () => sendEvent(EVENT, options).then(() => 'sent', problemOf) };
}

describe('sendEvent', () => {
  it('checks the address at each delivery', async () => {
    const { why, timers } = deliveryBench(() => Promise.resolve(['169.254.169.254']));
    expect(await why()).toContain('which is a link-local address');
    expect(timers).toEqual([]);
  });

  it('includes the DNS lookup in its timeout', async () => {
    const { why, timers } = deliveryBench(() => new Promise(() => undefined));
    const outcome = why();
    expect(timers.map(({ delay }) => delay)).toEqual([PATIENCE]);
    timers[0]?.work();
    expect(await outcome).toBe('The listener did not answer in time');
    expect(timers).toEqual([]);
  });

  it('sends nothing after its timeout', async () => {
    const found = Promise.withResolvers<readonly string[]>();
    const { why, timers } = deliveryBench(() => found.promise);
    const outcome = why();
    timers[0]?.work();
    found.resolve(['192.0.2.80']);
    expect(await outcome).toBe('The listener did not answer in time');
  });
});

describe('a listener with a certificate of a private CA', () => {
  it('is trusted with the owner’s CA; verification applies unless the client disables it', async () => {
    const certificate = await selfSigned('listener.example');
    const server = createSecureServer(certificate, (_request, response) => response.writeHead(204).end());
    await using served = await listening(server);
    const { port } = served;
    let asked = 0;
    const attempt = async (host: string, ca: readonly string[] | undefined, verifiesCertificate = true) => {
      const authorities = () => {
        asked += 1;
        return Promise.resolve(ca);
      };
      const resolve = () => Promise.resolve(['127.0.0.1']);
      const listeners = { ...new FakeBmc().listeners, resolve, authorities };
      const posting = { ...EVENT, destination: `https://${host}:${port}/`, verifiesCertificate };
      return await sendEvent(posting, { listeners, schedule: () => () => undefined }).then(() => 'sent', problemOf);
    };
    expect(await attempt('listener.example', [certificate.cert])).toBe('sent');
    expect(await attempt('other.example', [certificate.cert])).toMatch(
      /is not trusted \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
    );
    expect(await attempt('listener.example', undefined)).toMatch(/is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
    expect(asked).toBe(3);
    expect(await attempt('listener.example', undefined, false)).toBe('sent');
    expect(asked).toBe(3);
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

async function admitted(url: string, hosts: readonly string[] = []): Promise<readonly string[]> {
  return await admitDestination(new URL(url), {
    allowedHosts: () => hosts,
    allowedHostsSetting: 'the list of hosts',
    trustAdvice: '',
    allowsLoopback: false,
    ownApi: { host: '10.96.0.1', port: 443 },
    resolve: (name) => Promise.resolve(name === 'listener.example' ? ['192.0.2.80', '127.0.0.1'] : []),
  });
}

it('returns only the admitted addresses of a name', async () => {
  expect(await admitted('https://listener.example/')).toEqual(['192.0.2.80']);
  expect(await admitted('http://127.0.0.1/', ['127.0.0.1'])).toEqual(['127.0.0.1']);
});

it.each<[string, string, string[]?]>([
  [
    'https://listener.example/',
    'Events may not be sent to listener.example: the list of hosts lists the allowed hosts.',
    ['other.example'],
  ],
  ['https://10.96.0.1/', 'Events may not be sent to 10.96.0.1, which is the platform API: name a listener.'],
  [
    'http://127.0.0.1:80/',
    'Events may not be sent to 127.0.0.1, which is an address of this machine itself: name another listener, or add ' +
      'this address to the list of hosts.',
  ],
  ['http://empty.example/', 'empty.example has no address.'],
])('refuses %s with a sentence that says what to do', async (url, sentence, hosts) => {
  const refusal: unknown = await admitted(url, hosts).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(RefusedDestination);
  expect((refusal as Error).message).toBe(sentence);
});
