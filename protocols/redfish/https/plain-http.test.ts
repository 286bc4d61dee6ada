import type { RequestListener, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { answered, rest } from '../testing/index.ts';
import type { HttpsLimits, RedfishHttpsEndpoint } from './index.ts';
import { endpointForEach } from '../testing/endpoint-for-each.ts';

const { start, plain, tls } = endpointForEach();

async function startBoth(handler: RequestListener, limits?: Partial<HttpsLimits>): Promise<RedfishHttpsEndpoint> {
  const endpoint = await start(handler, limits);
  await endpoint.serveHttp(0);
  return endpoint;
}

describe('disabling plain HTTP', () => {
  it('closes its idle connections and keeps those of TLS', async () => {
    const endpoint = await startBoth((_request, response) => response.end('here'));
    const secure = await answered(await tls(endpoint.port));
    const idle = await answered(await plain(endpoint.httpPort));
    await endpoint.serveHttp(undefined);
    await rest(idle);
    expect([endpoint.httpPort, endpoint.connectionCount]).toEqual([undefined, 1]);
    await answered(secure);
    await answered(await tls(endpoint.port));
  });

  it('answers pending requests and then closes their connections', async () => {
    const held = Promise.withResolvers<ServerResponse>();
    const endpoint = await startBoth((_request, response) => {
      held.resolve(response);
    });
    const socket = await plain(endpoint.httpPort);
    socket.write('GET / HTTP/1.1\r\nHost: bmc\r\n\r\n');
    const response = await held.promise;
    await endpoint.serveHttp(undefined);
    response.end('at last');
    expect(await rest(socket)).toMatch(/Connection: close[^]*at last/);
  });

  it('destroys connections with unfinished answers after the timeout; HTTP can be enabled again', async () => {
    const endpoint = await startBoth((_request, response) => response.write('stream'), { close: 20 });
    const socket = await answered(await plain(endpoint.httpPort));
    await endpoint.serveHttp(undefined);
    await endpoint.serveHttp(0);
    await rest(socket);
    await answered(await plain(endpoint.httpPort));
    const port = endpoint.httpPort;
    await endpoint.serveHttp(0);
    expect(endpoint.httpPort).toBe(port);
  });
});
