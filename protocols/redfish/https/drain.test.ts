import type { RequestListener, ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { httpsBench } from '../testing/https-bench.ts';
import { answered, rest } from '../testing/index.ts';
import { type HttpsLimits, RedfishHttpsEndpoint } from './index.ts';

const bench = httpsBench();

describe('a draining endpoint', () => {
  it('closes idle connections at once and accepts no new ones', async () => {
    const endpoint = await bench.start((_request, response) => response.end());
    const idle = [await answered(await bench.tls()), await bench.plain(), await bench.tls()];
    endpoint.drain();
    await Promise.all(idle.map(async (socket) => await rest(socket)));
    expect(endpoint.connectionCount).toBe(0);
    await expect(bench.plain()).rejects.toThrow();
  });

  it('answers pending requests and then closes their connections', async () => {
    const held = Promise.withResolvers<ServerResponse>();
    const endpoint = await bench.start((_request, response) => {
      held.resolve(response);
    });
    const socket = await bench.tls();
    const all = rest(socket);
    socket.write('GET /slow HTTP/1.1\r\nHost: bmc\r\n\r\n');
    const response = await held.promise;
    endpoint.drain();
    expect(endpoint.connectionCount).toBe(1);
    response.end('done');
    expect(await all).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*Connection: close\r\n[^]*done/);
    await vi.waitFor(() => {
      expect(endpoint.connectionCount).toBe(0);
    });
  });

  it('finishes a started answer', async () => {
    const begun = Promise.withResolvers<ServerResponse>();
    const endpoint = await bench.start((_request, response) => {
      response.write('first');
      begun.resolve(response);
    });
    const socket = await bench.tls();
    const all = rest(socket);
    socket.write('GET /file HTTP/1.1\r\nHost: bmc\r\n\r\n');
    const response = await begun.promise;
    endpoint.drain();
    response.write('more');
    response.end('last');
    expect(await all).toMatch(/first[^]*more[^]*last[^]*\r\n0\r\n\r\n$/);
  });

  it('closes all connections after the close timeout', async () => {
    const asked = Promise.withResolvers<undefined>();
    const endpoint = await bench.start(
      () => {
        asked.resolve(undefined);
      },
      { close: 20 },
    );
    const socket = await bench.tls();
    socket.write('GET /never HTTP/1.1\r\nHost: bmc\r\n\r\n');
    await asked.promise;
    endpoint.drain();
    await endpoint.close();
    expect(await rest(socket)).toBe('');
  });
});

async function startBoth(handler: RequestListener, limits?: Partial<HttpsLimits>): Promise<RedfishHttpsEndpoint> {
  const endpoint = await bench.start(handler, limits);
  await endpoint.serveHttp(0);
  return endpoint;
}

describe('disabling plain HTTP', () => {
  it('closes its idle connections and keeps those of TLS', async () => {
    const endpoint = await startBoth((_request, response) => response.end('here'));
    const secure = await answered(await bench.tls());
    const idle = await answered(await bench.plain('127.0.0.1', endpoint.httpPort));
    await endpoint.serveHttp(undefined);
    await rest(idle);
    expect([endpoint.httpPort, endpoint.connectionCount]).toEqual([undefined, 1]);
    await answered(secure);
    await answered(await bench.tls());
  });

  it('answers pending requests and then closes their connections', async () => {
    const held = Promise.withResolvers<ServerResponse>();
    const endpoint = await startBoth((_request, response) => {
      held.resolve(response);
    });
    const socket = await bench.plain('127.0.0.1', endpoint.httpPort);
    socket.write('GET / HTTP/1.1\r\nHost: bmc\r\n\r\n');
    const response = await held.promise;
    await endpoint.serveHttp(undefined);
    response.end('at last');
    expect(await rest(socket)).toMatch(/Connection: close[^]*at last/);
  });

  it('destroys connections with unfinished answers after the timeout; HTTP can be enabled again', async () => {
    const endpoint = await startBoth((_request, response) => response.write('stream'), { close: 20 });
    const socket = await answered(await bench.plain('127.0.0.1', endpoint.httpPort));
    await endpoint.serveHttp(undefined);
    await endpoint.serveHttp(0);
    await rest(socket);
    await answered(await bench.plain('127.0.0.1', endpoint.httpPort));
    const port = endpoint.httpPort;
    await endpoint.serveHttp(0);
    expect(endpoint.httpPort).toBe(port);
  });
});
