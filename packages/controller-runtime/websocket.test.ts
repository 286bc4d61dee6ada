import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { ApiError, TransportError } from './errors.ts';
import { openWebSocket } from './websocket.ts';

const PROTOCOL = 'plain.example';

let server: Server;
let sockets: Socket[];
beforeEach(async () => {
  sockets = [];
  server = createServer();
  server.on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  for (const socket of sockets) socket.destroy();
  server.close();
});

function address(): string {
  // The server listens on TCP, so address() is an object.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function refuseWith(status: string, body: string): void {
  server.on('upgrade', (_request, socket) => {
    socket.end(`HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
  });
}

describe('openWebSocket', () => {
  it('authenticates with the given credentials and buffers messages until it is resumed', async () => {
    const webSockets = new WebSocketServer({ server, path: '/apis/a' });
    const asked = once(webSockets, 'connection').then(([webSocket, request]) => {
      (webSocket as { send: (text: string) => void }).send('early');
      return (request as { headers: Record<string, string> }).headers;
    });
    const token = (): Promise<string> => Promise.resolve('secret');
    const options = { server: address(), token, headers: { 'impersonate-user': 'alice' } };
    const webSocket = await openWebSocket(options, '/apis/a', PROTOCOL);
    expect(await asked).toMatchObject({
      accept: 'application/json, */*',
      authorization: 'Bearer secret',
      'impersonate-user': 'alice',
    });
    expect([webSocket.protocol, webSocket.isPaused]).toEqual([PROTOCOL, true]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const message = once(webSocket, 'message');
    webSocket.resume();
    expect(String((await message)[0])).toBe('early');
    webSocket.terminate();
    webSockets.close();
  });

  it('throws ApiError with the message of the server', async () => {
    refuseWith(
      '403 Forbidden',
      JSON.stringify({ kind: 'Status', apiVersion: 'v1', reason: 'Forbidden', message: 'no' }),
    );
    const refused = openWebSocket({ server: address() }, '/x', PROTOCOL);
    await expect(refused).rejects.toMatchObject({ status: 403, reason: 'Forbidden', serverMessage: 'no' });
  });

  it.each(['Bad Gateway', 'null', '{"kind":"Pod"}', ''])(
    'throws ApiError for any other error response: "%s"',
    async (body) => {
      refuseWith('502 Bad Gateway', body);
      const refused = openWebSocket({ server: address() }, '/x', PROTOCOL);
      await expect(refused).rejects.toBeInstanceOf(ApiError);
      await expect(refused).rejects.toMatchObject({ status: 502 });
    },
  );

  it('throws TransportError if no server listens or the response is not HTTP', async () => {
    const nowhere = openWebSocket({ server: 'http://127.0.0.1:1' }, '/x', PROTOCOL);
    await expect(nowhere).rejects.toBeInstanceOf(TransportError);
    server.on('upgrade', (_request, socket) => socket.destroy());
    await expect(openWebSocket({ server: address() }, '/x', PROTOCOL)).rejects.toBeInstanceOf(TransportError);
  });

  it('distinguishes a broken connection from a closed one', async () => {
    const webSockets = new WebSocketServer({ server });
    const open = async () => {
      const webSocket = await openWebSocket({ server: address() }, '/x', PROTOCOL);
      let hasFailed = false;
      webSocket.on('error', () => (hasFailed = true));
      webSocket.resume();
      return async (): Promise<boolean> => {
        // Not `once` of node:events, which rejects at an error.
        await new Promise((resolve) => webSocket.once('close', resolve));
        return hasFailed;
      };
    };
    const broken = await open();
    sockets.at(-1)?.resetAndDestroy();
    expect(await broken()).toBe(true);
    const ended = await open();
    sockets.at(-1)?.end();
    expect(await ended()).toBe(false);
    webSockets.close();
  });
});
