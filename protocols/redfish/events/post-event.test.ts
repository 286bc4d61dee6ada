import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { selfSigned } from '../testing/index.ts';
import { postEvent } from './post-event.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const WAY = { addresses: ['127.0.0.1'], signal: new AbortController().signal };
const POSTING = { headers: { 'X-Key': 'k' }, body: '{"Id":"1"}', verifiesCertificate: true };

it('posts an event as JSON and accepts any 2xx', async () => {
  const seen: unknown[] = [];
  const port = await listening(
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

it.each([301, 400, 500])('fails if the listener answers %i', async (status) => {
  const port = await listening(
    createServer((_request, response) => response.writeHead(status, { Location: '/elsewhere' }).end()),
  );
  await expect(postEvent({ ...POSTING, destination: `http://127.0.0.1:${port}/` }, WAY)).rejects.toThrow(
    `the listener answered ${status}`,
  );
});

it('fails if the connection is refused', async () => {
  const server = createServer();
  const port = await listening(server);
  server.close();
  await once(server, 'close');
  await expect(postEvent({ ...POSTING, destination: `http://127.0.0.1:${port}/` }, WAY)).rejects.toThrow(
    /ECONNREFUSED/,
  );
});

it('verifies the listener’s certificate unless disabled', async () => {
  const port = await listening(
    createSecureServer(await selfSigned('listener'), (_request, response) => response.writeHead(204).end()),
  );
  const destination = `https://127.0.0.1:${port}/`;
  await expect(postEvent({ ...POSTING, destination }, WAY)).rejects.toThrow(/self-signed certificate/);
  await postEvent({ ...POSTING, destination, verifiesCertificate: false }, WAY);
});

it('connects to the evaluated address and sends the original host name', async () => {
  const hosts: unknown[] = [];
  const port = await listening(
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

it('follows no redirect', async () => {
  let visits = 0;
  const elsewhere = await listening(
    createServer((_request, response) => {
      visits += 1;
      response.writeHead(204).end();
    }),
  );
  for (const status of [301, 302, 307, 308]) {
    const Location = `http://127.0.0.1:${elsewhere}/`;
    const port = await listening(createServer((_request, response) => response.writeHead(status, { Location }).end()));
    await expect(postEvent({ ...POSTING, destination: `http://127.0.0.1:${port}/` }, WAY)).rejects.toThrow(
      `the listener answered ${status}`,
    );
  }
  expect(visits).toBe(0);
});

it('resolves at the status line, however long the body is', async () => {
  const port = await listening(
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
  const port = await listening(
    createServer(() => {
      end.abort(new Error('too late'));
    }),
  );
  const { signal } = end;
  await expect(
    postEvent({ ...POSTING, destination: `http://127.0.0.1:${port}/` }, { ...WAY, signal }),
  ).rejects.toThrow();
});
