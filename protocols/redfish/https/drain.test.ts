import type { ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { answered, rest } from '../testing/index.ts';
import { endpointForEach } from '../testing/endpoint-for-each.ts';

const { start, plain, tls } = endpointForEach();

describe('a draining endpoint', () => {
  it('closes idle connections at once and accepts no new ones', async () => {
    const endpoint = await start((_request, response) => response.end());
    const idle = [await answered(await tls(endpoint.port)), await plain(endpoint.port), await tls(endpoint.port)];
    endpoint.drain();
    await Promise.all(idle.map(async (socket) => await rest(socket)));
    expect(endpoint.connectionCount).toBe(0);
    await expect(plain(endpoint.port)).rejects.toThrow();
  });

  it('answers pending requests and then closes their connections', async () => {
    const held = Promise.withResolvers<ServerResponse>();
    const endpoint = await start((_request, response) => {
      held.resolve(response);
    });
    const socket = await tls(endpoint.port);
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
    const endpoint = await start((_request, response) => {
      response.write('first');
      begun.resolve(response);
    });
    const socket = await tls(endpoint.port);
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
    const endpoint = await start(
      () => {
        asked.resolve(undefined);
      },
      { close: 20 },
    );
    const socket = await tls(endpoint.port);
    socket.write('GET /never HTTP/1.1\r\nHost: bmc\r\n\r\n');
    await asked.promise;
    endpoint.drain();
    await endpoint.close();
    expect(await rest(socket)).toBe('');
  });
});
