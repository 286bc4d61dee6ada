import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { httpsBench } from '../testing/https-bench.ts';
import { answered, rest } from '../testing/loopback.ts';

const bench = httpsBench();
const REQUEST = 'GET /console0 HTTP/1.1\r\nHost: bmc\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

/** The server's ends of the connections that were taken over. */
let taken: Duplex[];

beforeEach(() => {
  taken = [];
  bench.upgrades = {
    accepts: ({ url }) => url === '/console0',
    handle: (_request, socket) => {
      taken.push(socket);
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
      socket.pipe(socket);
    },
  };
});

async function upgraded(socket: Socket): Promise<string> {
  socket.write(REQUEST);
  const [data] = (await once(socket, 'data')) as [Buffer];
  return data.toString().split('\r\n')[0] ?? '';
}

async function echoed(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [data] = (await once(socket, 'data')) as [Buffer];
  return data.toString();
}

describe('a connection that another protocol takes over', () => {
  it('is not HTTP any more, over TLS and over plain HTTP', async () => {
    await bench.start(undefined, {}, true);
    for (const socket of [await bench.tls(), await bench.plain('127.0.0.1', bench.endpoint.httpPort)]) {
      expect(await upgraded(await answered(socket))).toBe('HTTP/1.1 101 Switching Protocols');
      expect(await echoed(socket, 'GET / HTTP/1.1\r\n\r\n')).toBe('GET / HTTP/1.1\r\n\r\n');
    }
  });

  it('is not closed for another one, nor for its silence', async () => {
    await bench.start(undefined, { connections: 2, silence: 50, keepAlive: 50, request: 50, headers: 50 });
    const socket = await bench.tls();
    await upgraded(socket);
    const idle = await answered(await bench.tls());
    const gone = rest(idle);
    await answered(await bench.tls());
    await gone;
    expect(await echoed(socket, 'still')).toBe('still');
  });

  it('is left to its owner by a drain, which ends it by closing', async () => {
    await bench.start(undefined, { close: 60_000 });
    const socket = await bench.tls();
    await upgraded(socket);
    bench.endpoint.drain();
    expect(await echoed(socket, 'last words')).toBe('last words');
    expect(bench.endpoint.connectionCount).toBe(1);
    taken[0]?.destroy(new Error('the connection was reset'));
    await rest(socket);
    await bench.endpoint.close();
  });

  it('is closed with the endpoint after a time', async () => {
    await bench.start(undefined, { close: 50 });
    const socket = await bench.tls();
    await upgraded(socket);
    await bench.endpoint.close();
    await rest(socket);
  });

  it('is refused during an answer', async () => {
    await bench.start((_request, response) => {
      response.flushHeaders();
    });
    const socket = await bench.tls();
    socket.write(`GET / HTTP/1.1\r\nHost: bmc\r\n\r\n${REQUEST}`);
    expect(await rest(socket)).not.toContain('101');
    expect(taken).toEqual([]);
  });

  it.each([
    ['of another kind', 'GET /other HTTP/1.1\r\nHost: bmc\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'],
    ['without Connection', 'GET /console0 HTTP/1.1\r\nHost: bmc\r\nUpgrade: websocket\r\n\r\n'],
  ])('is not one with an upgrade %s, which is answered as usual', async (_what, request) => {
    await bench.start();
    const socket = await bench.tls();
    socket.write(request);
    const [data] = (await once(socket, 'data')) as [Buffer];
    expect(data.toString()).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('is not made of plain HTTP on the TLS port, which is redirected', async () => {
    await bench.start();
    expect(await upgraded(await bench.plain())).toBe('HTTP/1.1 308 Permanent Redirect');
  });
});
