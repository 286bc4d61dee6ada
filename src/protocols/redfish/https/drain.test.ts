import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
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
}

async function plain(): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: endpoint.port });
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

describe('an endpoint that drains', () => {
  it('ends connections that wait for nothing at once, and lets nobody connect', async () => {
    await start((_request, response) => response.end());
    const idle = [await answered(await tls()), await plain(), await tls()];
    endpoint.drain();
    await Promise.all(idle.map(async (socket) => await rest(socket)));
    expect(endpoint.connectionCount).toBe(0);
    await expect(plain()).rejects.toThrow();
  });

  it('answers what it was asked, and ends the connection with it', async () => {
    const held = Promise.withResolvers<ServerResponse>();
    await start((_request, response) => {
      held.resolve(response);
    });
    const socket = await tls();
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

  it('finishes an answer that has begun', async () => {
    const begun = Promise.withResolvers<ServerResponse>();
    await start((_request, response) => {
      response.write('first');
      begun.resolve(response);
    });
    const socket = await tls();
    const all = rest(socket);
    socket.write('GET /file HTTP/1.1\r\nHost: bmc\r\n\r\n');
    const response = await begun.promise;
    endpoint.drain();
    response.write('more');
    response.end('last');
    expect(await all).toMatch(/first[^]*more[^]*last[^]*\r\n0\r\n\r\n$/);
  });

  it('waits for nobody longer than for its time to close', async () => {
    const asked = Promise.withResolvers<undefined>();
    await start(
      () => {
        asked.resolve(undefined);
      },
      { close: 20 },
    );
    const socket = await tls();
    socket.write('GET /never HTTP/1.1\r\nHost: bmc\r\n\r\n');
    await asked.promise;
    endpoint.drain();
    await endpoint.close();
    expect(await rest(socket)).toBe('');
  });
});
