import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '@groundcrew/controller-runtime';
import { issueServerCertificate } from '@groundcrew/apiserver/certificates';
import { ANY_ADDRESS, publicAddressesOnly } from './internal-addresses.ts';
import { openHttp, type HttpOrder, type HttpSourceOptions } from './open-http.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serve = async (listener: RequestListener): Promise<string> => `http://${await listen(createServer(listener))}`;

async function open(
  order: Partial<HttpOrder> & { url: string },
  options: Partial<HttpSourceOptions> = {},
): Promise<string> {
  const { signal } = new AbortController();
  const source = await openHttp(
    { headers: [], authorities: [], insecure: false, ...order },
    { connectTimeout: 10_000, mayConnect: ANY_ADDRESS, clock: systemClock, signal, ...options },
  );
  let text = '';
  for await (const chunk of source.body) text += String(chunk);
  return `${source.total ?? '?'} ${text}`;
}

describe('a URL', () => {
  it('is asked for its size and then for its data', async () => {
    const asked: string[] = [];
    const url = await serve((request, response) => {
      asked.push(request.method ?? '');
      response.writeHead(200, { 'content-length': 5 }).end(request.method === 'HEAD' ? undefined : 'image');
    });
    expect(await open({ url })).toBe('5 image');
    expect(asked).toEqual(['HEAD', 'GET']);
  });

  it('may know its size from the GET alone, or not at all', async () => {
    const url = await serve((request, response) => {
      if (request.method === 'HEAD') response.writeHead(405).end();
      else if (request.url === '/sized') response.writeHead(200, { 'content-length': 5 }).end('image');
      else response.writeHead(200, { 'transfer-encoding': 'chunked' }).end('image');
    });
    expect(await open({ url: `${url}/sized` })).toBe('5 image');
    expect(await open({ url })).toBe('? image');
  });

  it('gets the headers, each time that it is given, and the credentials', async () => {
    const url = await serve((request, response) => {
      response.end(JSON.stringify([request.headers['x-a'], request.headers.authorization]));
    });
    const headers = [
      ['x-a', '1'],
      ['x-a', '2'],
    ] as const;
    const credentials = { user: 'u', password: 'p' };
    expect(await open({ url, headers, credentials })).toContain(`["1, 2","Basic ${btoa('u:p')}"]`);
  });

  it('is left for where it points to, and no further than ten times', async () => {
    const url = await serve((request, response) => {
      const left = Number((request.url ?? '').slice(1));
      if (left > 0) response.writeHead(307, { location: `/${left - 1}` }).end();
      else response.end('image');
    });
    expect(await open({ url: `${url}/10` })).toContain('image');
    await expect(open({ url: `${url}/11` })).rejects.toThrow(`Get "${url}/0": stopped after 10 redirects`);
  });

  it.each([
    ['http://[', 'Unable to connect to http data source: unable to parse endpoint "http://["'],
    [
      'http://user:secret@127.0.0.1:1/',
      'Get "http://user:***@127.0.0.1:1/": dial tcp 127.0.0.1:1: connect: connection refused',
    ],
  ])('%s is not reached', async (url, message) => {
    await expect(open({ url })).rejects.toThrow(message);
  });

  it('does not give what it does not have, or points nowhere', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/bad') response.writeHead(302, { location: 'http://[' }).end();
      else if (request.url === '/none') response.writeHead(302).end();
      else response.writeHead(403).end();
    });
    await expect(open({ url })).rejects.toThrow('expected status code 200, got 403. Status: 403 Forbidden');
    await expect(open({ url: `${url}/none` })).rejects.toThrow('expected status code 200, got 302. Status: 302 Found');
    await expect(open({ url: `${url}/bad` })).rejects.toThrow('failed to parse Location header "http://["');
  });

  it('that does not answer the handshake is given up', async () => {
    const { createServer: createTcpServer } = await import('node:net');
    const address = await listen(createTcpServer());
    await expect(open({ url: `https://${address}/` }, { connectTimeout: 50 })).rejects.toThrow('i/o timeout');
  });

  it('that is answered with another protocol fails', async () => {
    const { createServer: createTcpServer } = await import('node:net');
    const switching = createTcpServer((socket) => {
      socket.once('data', () =>
        socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
      );
    });
    await expect(open({ url: `http://${await listen(switching)}/` })).rejects.toThrow('/": EOF');
  });

  it('does not tell its password where it is internal', async () => {
    const internal = open({ url: 'http://user:secret@127.0.0.1:1/' }, { mayConnect: publicAddressesOnly([]) });
    await expect(internal).rejects.toThrow('http://user:***@127.0.0.1:1/ is at 127.0.0.1, an internal address');
  });

  it('is not looked at where its name leads to an internal address', async () => {
    const url = (await serve((_request, response) => response.end('image'))).replace('127.0.0.1', 'localhost');
    const mayConnect = publicAddressesOnly([]);
    await expect(open({ url: `${url}/` }, { mayConnect })).rejects.toThrow(
      /is at (127\.0\.0\.1|::1), an internal address/,
    );
    expect(await open({ url }, { mayConnect: publicAddressesOnly([url]) })).toContain('image');
  });

  it('of TLS is trusted by the authorities given, or by none where that is told', async () => {
    const { cert, key, ca } = await issueServerCertificate({
      dnsNames: ['files.example'],
      addresses: ['127.0.0.1'],
      now: Date.now(),
    });
    const url = `https://${await listen(createTlsServer({ cert, key }, (_request, response) => response.end('image')))}/`;
    expect(await open({ url, authorities: [ca] })).toContain('image');
    expect(await open({ url, insecure: true })).toContain('image');
    await expect(open({ url })).rejects.toThrow('x509: certificate signed by unknown authority');
  });
});
