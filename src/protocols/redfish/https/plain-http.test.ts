import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answered, rest, selfSigned } from '../testing/index.ts';
import { type HttpsLimits, RedfishHttpsEndpoint } from './index.ts';

let certificate: { key: string; cert: string };
let endpoint: RedfishHttpsEndpoint;
const open: Socket[] = [];

beforeAll(async () => {
  certificate = await selfSigned('bmc');
});

afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await endpoint.close();
});

async function start(handler: RequestListener, limits: Partial<HttpsLimits> = {}): Promise<void> {
  const onError = (error: Error): void => {
    expect.fail(error.message);
  };
  endpoint = new RedfishHttpsEndpoint({ addresses: ['127.0.0.1'], port: 0, handler, onError, limits });
  endpoint.setCertificate(certificate);
  await endpoint.start();
  await endpoint.serveHttp(0);
}

async function plain(): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: endpoint.httpPort ?? 0 });
  open.push(socket.on('error', () => undefined));
  await once(socket, 'connect');
  return socket;
}

async function tls(): Promise<Socket> {
  const socket = tlsConnect({ host: '127.0.0.1', port: endpoint.port, rejectUnauthorized: false });
  open.push(socket);
  await once(socket, 'secureConnect');
  return socket.on('error', () => undefined);
}

describe('plain HTTP that is turned off', () => {
  it('ends its connections that wait for nothing, and those of TLS go on', async () => {
    await start((_request, response) => response.end('here'));
    const secure = await answered(await tls());
    const idle = await answered(await plain());
    await endpoint.serveHttp(undefined);
    await rest(idle);
    expect([endpoint.httpPort, endpoint.connectionCount]).toEqual([undefined, 1]);
    await answered(secure);
    await answered(await tls());
  });

  it('answers what it was asked, and ends the connection with it', async () => {
    const held = Promise.withResolvers<ServerResponse>();
    await start((_request, response) => {
      held.resolve(response);
    });
    const socket = await plain();
    socket.write('GET / HTTP/1.1\r\nHost: bmc\r\n\r\n');
    const response = await held.promise;
    await endpoint.serveHttp(undefined);
    response.end('at last');
    expect(await rest(socket)).toMatch(/Connection: close[^]*at last/);
  });

  it('cuts an answer that does not end, and is there again when it is turned on', async () => {
    await start((_request, response) => response.write('stream'), { close: 20 });
    const socket = await answered(await plain());
    await endpoint.serveHttp(undefined);
    await endpoint.serveHttp(0);
    await rest(socket);
    await answered(await plain());
    const port = endpoint.httpPort;
    await endpoint.serveHttp(0);
    expect(endpoint.httpPort).toBe(port);
  });
});
