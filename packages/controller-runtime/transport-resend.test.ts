import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { httpsTransport } from './transport-https.ts';
import { undiciTransport } from './transport-undici.ts';
import type { Transport, TransportRequest } from './transport.ts';

const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

// A write that was carried out may not be sent again, because its answer was lost: KubeVirt would stop a machine twice.
describe.each([
  ['httpsTransport', httpsTransport],
  ['undiciTransport', undiciTransport],
])('%s, if the server resets the connection', (_, make) => {
  let server: Server;
  let transport: Transport;
  /** Methods of the requests that the server has read to the end. */
  let read: string[];
  let sockets: Set<Socket>;
  /** What the server does with a request other than GET. */
  let instead: 'reset' | 'reset later' | 'close' | 'break off';

  beforeEach(async () => {
    read = [];
    sockets = new Set();
    server = createServer((request, response) => {
      request.resume().on('end', () => {
        read.push(request.method ?? '');
        if (request.method === 'GET') response.end('{}');
        else if (instead === 'reset') request.socket.resetAndDestroy();
        else if (instead === 'reset later') setTimeout(() => request.socket.resetAndDestroy(), 20);
        else if (instead === 'close') request.socket.end();
        else response.writeHead(200, { 'content-length': '9' }).write('{', () => request.socket.resetAndDestroy());
      });
    });
    server.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    transport = make({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });

  afterEach(async () => {
    await transport.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  async function send(method: TransportRequest['method']): Promise<void> {
    const { body } = await transport.request({ method, path: '/', ...(method === 'GET' ? {} : { body: '{}' }) });
    for await (const _chunk of body);
  }

  /** Time in which a transport could send it again. */
  async function sentSince(): Promise<readonly string[]> {
    await pause(50);
    return read;
  }

  describe.each(WRITES)('sends a %s once', (method) => {
    it.each(['reset', 'close', 'break off'] as const)('on a new connection: %s', async (what) => {
      instead = what;
      await expect(send(method)).rejects.toThrow();
      expect(await sentSince()).toEqual([method]);
    });

    it.each(['reset', 'close', 'break off'] as const)('on a kept-alive connection: %s', async (what) => {
      instead = what;
      await send('GET');
      await expect(send(method)).rejects.toThrow();
      expect(await sentSince()).toEqual(['GET', method]);
      expect(sockets.size).toBe(1);
    });

    it('on a kept-alive connection that the server has just reset', async () => {
      await send('GET');
      for (const socket of sockets) socket.resetAndDestroy();
      await expect(send(method)).rejects.toThrow();
      expect(await sentSince()).toEqual(['GET']);
    });

    it('together with other requests, of which none may share its connection', async () => {
      instead = 'reset later';
      await send('GET');
      const all = await Promise.allSettled([send(method), send('GET'), send(method), send('GET')]);
      expect(all.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
      expect((await sentSince()).filter((one) => one === method)).toEqual([method, method]);
    });
  });
});
