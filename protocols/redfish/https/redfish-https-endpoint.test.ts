import { Agent, request as httpRequest } from 'node:http';
import type { RequestListener } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { echo, httpsBench } from '../testing/https-bench.ts';
import { answered, rest, selfSigned } from '../testing/index.ts';
import { RedfishHttpsEndpoint } from './index.ts';

const bench = httpsBench();

let second: { key: string; cert: string };

beforeAll(async () => {
  second = await selfSigned('second');
});

const HANDLING = { port: 0, handler: echo, onError: () => undefined };

/** An endpoint that is not started and has no certificate. */
function endpointOn(address: string): RedfishHttpsEndpoint {
  return new RedfishHttpsEndpoint({ ...HANDLING, addresses: [address] });
}

/** Requests for `/0`, `/1` and so on; the last one closes the connection. */
function pipelined(count: number): string {
  const heads = Array.from(
    { length: count },
    (_none, index) => `GET /${index} HTTP/1.1\r\nHost: bmc\r\nAccept: */*\r\n`,
  );
  return `${heads.join('\r\n')}Connection: close\r\n\r\n`;
}

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

async function ask(scheme: 'http' | 'https', path = '/', agent?: Agent, port = bench.endpoint.port): Promise<Answer> {
  const request = scheme === 'http' ? httpRequest : httpsRequest;
  return await new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, agent, rejectUnauthorized: false }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
    });
    asked.on('error', reject).end();
  });
}

describe('RedfishHttpsEndpoint', () => {
  it('serves HTTPS on all addresses with TLS 1.2 or above and HTTP/1.1', async () => {
    await bench.start();
    expect(await ask('https', '/redfish')).toMatchObject({ status: 200, body: 'GET /redfish' });
    const newest = await bench.tls({ host: '127.0.0.2' });
    expect(newest.getProtocol()).toBe('TLSv1.3');
    expect(newest.alpnProtocol).toBe('http/1.1');
    expect((await bench.tls({ maxVersion: 'TLSv1.2' })).getProtocol()).toBe('TLSv1.2');
    await expect(bench.tls({ maxVersion: 'TLSv1.1' })).rejects.toThrow();
  });

  it('serves clients that name HTTP/1.0 in the TLS handshake, as curl --http1.0 does', async () => {
    await bench.start();
    const socket = await bench.tls({ ALPNProtocols: ['http/1.0'] });
    expect(socket.alpnProtocol).toBe('http/1.0');
    socket.write('GET /redfish HTTP/1.0\r\n\r\n');
    expect(await rest(socket)).toMatch(/^HTTP\/1\.1 200 .*GET \/redfish$/s);
  });

  it('has no port before start, and no HTTP port unless configured', async () => {
    bench.endpoint = endpointOn('127.0.0.1');
    expect(bench.endpoint.port).toBe(0);
    await bench.start(echo, {}, true);
    const { httpPort } = bench.endpoint;
    expect(await ask('http', '/redfish', undefined, httpPort)).toMatchObject({ status: 200, body: 'GET /redfish' });
    expect(httpPort).not.toBe(bench.endpoint.port);
    await bench.endpoint.close();
    await bench.start();
    expect(bench.endpoint.httpPort).toBeUndefined();
  });

  it('binds all addresses or none', async () => {
    await bench.start();
    const late = new RedfishHttpsEndpoint({
      ...HANDLING,
      addresses: ['127.0.0.3', '127.0.0.1'],
      port: bench.endpoint.port,
    });
    await expect(late.start()).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await expect(bench.plain('127.0.0.3')).rejects.toThrow();
  });

  it('leaves no listener if closed during start', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const late = new RedfishHttpsEndpoint({
      get addresses() {
        resolve(undefined);
        return ['127.0.0.5', '127.0.0.6'];
      },
      ...HANDLING,
    });
    const refused = expect(late.start()).rejects.toThrow('was closed while it was being started');
    await promise;
    await late.close();
    await refused;
    expect(late.port).toBe(0);
  });

  describe('the certificate', () => {
    it('can be changed without effect on existing connections', async () => {
      await bench.start();
      const before = await bench.tls();
      bench.endpoint.setCertificate(second);
      expect((await bench.tls()).getPeerCertificate().subject.CN).toBe('second');
      expect(before.getPeerCertificate().subject.CN).toBe('first');
      before.write('GET /still HTTP/1.1\r\nHost: bmc\r\nConnection: close\r\n\r\n');
      expect(await rest(before)).toContain('GET /still');
    });

    it('stays in use if the next one is invalid', async () => {
      await bench.start();
      expect(() => {
        bench.endpoint.setCertificate({ key: bench.certificate.key, cert: second.cert });
      }).toThrow();
      expect(() => {
        bench.endpoint.setCertificate({ key: 'no', cert: 'no' });
      }).toThrow();
      expect((await bench.tls()).getPeerCertificate().subject.CN).toBe('first');
    });

    it('is required', async () => {
      bench.endpoint = endpointOn('127.0.0.1');
      await bench.endpoint.start();
      await expect(bench.tls()).rejects.toThrow();
      bench.endpoint.setCertificate(bench.certificate);
      expect(await ask('https')).toMatchObject({ status: 200 });
    });
  });

  describe('plain HTTP on the TLS port', () => {
    it('is redirected', async () => {
      await bench.start();
      const { status, headers } = await ask('http', '/redfish/v1?$top=1');
      expect(status).toBe(308);
      expect(headers['location']).toBe(`https://127.0.0.1:${bench.endpoint.port}/redfish/v1?$top=1`);
    });

    it.each(['Host: a/b', 'Host: evil"', 'Host:', 'Host: a\r\nHost: b'])(
      'is refused if the target is not clear: %s',
      async (host) => {
        await bench.start();
        const socket = await bench.plain();
        socket.write(`GET / HTTP/1.1\r\n${host}\r\n\r\n`);
        expect(await rest(socket)).toMatch(/^HTTP\/1\.1 400 /);
      },
    );

    it('may arrive byte by byte', async () => {
      await bench.start();
      const socket = await bench.plain();
      for (const byte of 'GET / HTTP/1.1\r\nHost: bmc\r\n\r\n') socket.write(byte);
      expect(await rest(socket)).toContain('Location: https://bmc/');
    });
  });

  describe('an invalid request', () => {
    it.each([
      ['an unknown method', 'FAKEMETHOD / HTTP/1.1\r\nHost: bmc\r\n\r\n', 501],
      ['a tunnel', 'CONNECT bmc:22 HTTP/1.1\r\nHost: bmc\r\n\r\n', 501],
      ['too many headers', `GET / HTTP/1.1\r\nHost: bmc\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
      ['nonsense', 'GET / HTTP/1.1\r\nHost: bmc\r\nno header\r\n\r\n', 400],
      ['two lengths', 'POST / HTTP/1.1\r\nHost: bmc\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    ])('is refused: %s', async (_what, bytes, status) => {
      await bench.start();
      const socket = await bench.tls();
      socket.write(bytes);
      const answer = await rest(socket);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer).toContain('OData-Version: 4.0');
      const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as { error: Record<string, unknown> };
      expect(body.error['@Message.ExtendedInfo']).toHaveLength(1);
    });

    it('ends the connection without an answer if another answer has begun', async () => {
      const held = vi.fn<RequestListener>();
      await bench.start(held);
      const socket = await bench.tls();
      socket.write('GET / HTTP/1.1\r\nHost: bmc\r\n\r\n');
      await vi.waitFor(() => {
        expect(held).toHaveBeenCalled();
      });
      socket.write('nonsense\r\n\r\n');
      expect(await rest(socket)).toBe('');
    });

    it('as a TLS handshake does no harm', async () => {
      await bench.start();
      const socket = await bench.plain();
      socket.write(Buffer.from([0x16, 3, 1, 0, 4, 9, 9, 9, 9]));
      await rest(socket);
      expect(await ask('https')).toMatchObject({ status: 200 });
    });
  });

  describe('slow clients', () => {
    it.each([
      ['nothing', Buffer.alloc(0)],
      ['a part of a handshake', Buffer.of(0x16, 3, 1)],
    ])('are disconnected if they send %s', async (_what, bytes) => {
      await bench.start(echo, { handshake: 50 });
      const socket = await bench.plain();
      socket.write(bytes);
      expect(await rest(socket)).not.toContain('HTTP');
    });

    it.each([
      [
        'get an error if they send a part of the headers',
        'GET / HTTP/1.1\r\nHost',
        { headers: 50 },
        /^HTTP\/1\.1 408 /,
      ],
      [
        'are disconnected if a body does not arrive',
        'POST / HTTP/1.1\r\nHost: bmc\r\nContent-Length: 5\r\n\r\n12',
        { headers: 80, request: 80 },
        /^/,
      ],
      ['lose idle connections', 'GET / HTTP/1.1\r\nHost: bmc\r\n\r\n', { keepAlive: 50 }, /^HTTP\/1\.1 200 /],
    ])('%s', async (_what, bytes, soon, answer) => {
      await bench.start(echo, soon);
      const socket = await bench.tls();
      socket.write(bytes);
      expect(await rest(socket)).toMatch(answer);
    });
  });

  describe('many connections', () => {
    it('of one source replace its own idle ones', async () => {
      await bench.start(echo, { connectionsPerSource: 2 });
      const oldest = await answered(await bench.tls());
      await answered(await bench.tls());
      await answered(await bench.tls());
      await rest(oldest);
      expect(bench.endpoint.connectionCount).toBe(2);
    });

    it('without HTTP are closed for new ones, oldest first', async () => {
      await bench.start(echo, { connectionsPerSource: 2 });
      const oldest = await bench.plain();
      const other = await bench.plain();
      expect(await ask('https')).toMatchObject({ status: 200 });
      await rest(oldest);
      expect(other.destroyed).toBe(false);
    });

    it('of all sources replace idle ones', async () => {
      await bench.start(echo, { connections: 2 });
      const oldest = await bench.plain();
      await bench.plain();
      const third = connect({ host: '127.0.0.1', port: bench.endpoint.port, localAddress: '127.0.0.9' });
      bench.open.push(third);
      await rest(oldest);
      expect(third.destroyed).toBe(false);
    });

    it('are refused if all have unfinished answers', async () => {
      const held = vi.fn<RequestListener>();
      await bench.start(held, { connectionsPerSource: 2 });
      for (const socket of [await bench.tls(), await bench.tls()]) socket.write('GET / HTTP/1.1\r\nHost: bmc\r\n\r\n');
      await vi.waitFor(() => {
        expect(held).toHaveBeenCalledTimes(2);
      });
      await rest(await bench.plain());
      expect(bench.endpoint.connectionCount).toBe(2);
    });

    it.each(['http', 'https'])(
      'with many pipelined requests are answered, a few at a time, over %s',
      async (scheme) => {
        const count = 6_000;
        let underWay = 0;
        let most = 0;
        const slow: RequestListener = (request, response) => {
          most = Math.max(most, (underWay += 1));
          request.resume();
          setImmediate(() => {
            underWay -= 1;
            response.end(`GET ${request.url ?? ''};`);
          });
        };
        const { httpPort } = await bench.start(slow, { pipelined: 2 }, true);
        const socket = await (scheme === 'http' ? bench.plain('127.0.0.1', httpPort) : bench.tls());
        const closed = rest(socket);
        socket.write(pipelined(count));
        const answers = Array.from((await closed).matchAll(/GET \/(\d+);/g), ([, index]) => Number(index));
        expect(answers).toEqual(Array.from({ length: count }, (_none, index) => index));
        expect(most).toBe(2);
      },
    );

    it('are not carried out after an answer that closes the connection', async () => {
      const urls: string[] = [];
      await bench.start(
        (request, response) => {
          urls.push(request.url ?? '');
          setImmediate(() => response.writeHead(400, { Connection: 'close' }).end());
        },
        { pipelined: 1 },
      );
      const socket = await bench.tls();
      socket.write(pipelined(9));
      expect(await rest(socket)).toMatch(/^HTTP\/1\.1 400 /);
      expect(urls).toEqual(['/0']);
    });

    it('are closed if more pipelined requests wait than there is memory for', async () => {
      await bench.start(() => undefined, { pipelined: 2, unanswered: 20 });
      const [modest, greedy] = [await bench.tls(), await bench.tls()];
      modest.write(pipelined(2));
      greedy.write(pipelined(30));
      await rest(greedy);
      expect(modest.destroyed).toBe(false);
    });

    // The time of the last request passes during the first answer, or during the second.
    it.each([
      ['the rest of a request does not come', 'GET /slow HTTP/1.1\r\nHo', 408, 50],
      ['nonsense follows', 'GET / HTTP/1.1\r\nno header\r\n\r\n', 400, 300],
    ])('are answered before %s', async (_what, bytes, status, time) => {
      await bench.start((_request, response) => setTimeout(() => response.end('late;'), 200), {
        ...{ pipelined: 1, headers: time, request: time },
      });
      const socket = await bench.tls();
      socket.write(pipelined(2).replace('Connection: close\r\n', '') + bytes);
      const said = await rest(socket);
      expect(said.match(/late;/g)).toHaveLength(2);
      expect(said).toContain(`HTTP/1.1 ${status} `);
    });

    it('carry at most the allowed number of requests', async () => {
      await bench.start(echo, { requestsPerConnection: 2 });
      const agent = new HttpsAgent({ keepAlive: true, maxSockets: 1 });
      const connections: unknown[] = [];
      for (let asked = 0; asked < 3; asked += 1) {
        const { headers } = await ask('https', '/', agent);
        connections.push(headers['connection']);
      }
      agent.destroy();
      expect(connections).toEqual(['keep-alive', 'close', 'keep-alive']);
    });
  });

  describe('close', () => {
    it('ends idle connections at once and waits for pending answers', async () => {
      let answer: (() => void) | undefined;
      await bench.start((_request, response) => {
        answer = () => {
          response.end('late');
        };
      });
      const idle = await bench.tls();
      const busy = await bench.tls();
      busy.write('GET / HTTP/1.1\r\nHost: bmc\r\n\r\n');
      await vi.waitFor(() => {
        expect(answer).toBeDefined();
      });
      const text = rest(busy);
      const closed = bench.endpoint.close();
      await rest(idle);
      answer?.();
      expect(await text).toContain('late');
      await closed;
    });

    it('waits no longer than its timeout and can be called twice', async () => {
      const held = vi.fn<RequestListener>();
      await bench.start(held, { close: 50 });
      const socket = await bench.tls();
      const silent = await bench.plain();
      socket.write('GET / HTTP/1.1\r\nHost: bmc\r\n\r\n');
      await vi.waitFor(() => {
        expect(held).toHaveBeenCalled();
      });
      await bench.endpoint.close();
      await rest(socket);
      await rest(silent);
      await bench.endpoint.close();
      await expect(bench.plain()).rejects.toThrow();
    });
  });
});
