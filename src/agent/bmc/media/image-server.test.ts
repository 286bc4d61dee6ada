import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { imageSizeOf, type ImageServerOptions } from './image-server.ts';
import type { ImageOrder } from './image-url.ts';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // of TCP
}

async function sizeOf(
  url: string,
  options: Partial<ImageServerOptions> = {},
  login?: ImageOrder['login'],
): Promise<number> {
  const order = { url: new URL(url), ...(login === undefined ? {} : { login }) };
  return await imageSizeOf(order, {
    allowedHosts: [],
    insecure: false,
    signal: new AbortController().signal,
    ...options,
  });
}

describe('the size of an image', () => {
  it('is asked for by HEAD', async () => {
    const methods: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      methods.push(request.method);
      response.writeHead(200, { 'content-length': 12_345 }).end();
    });
    expect(await sizeOf(`${url}/a.iso`)).toBe(12_345);
    expect(methods).toEqual(['HEAD']);
  });

  it('is read off a GET where HEAD is refused, without its body', async () => {
    const url = await serve((request, response) => {
      if (request.method === 'HEAD') response.writeHead(403).end();
      else response.writeHead(200, { 'content-length': 1e12 }).write('the beginning');
    });
    expect(await sizeOf(`${url}/a.iso`)).toBe(1e12);
  });

  it('is not made up', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'transfer-encoding': 'chunked' }).end();
    });
    await expect(sizeOf(`${url}/a.iso`)).rejects.toMatchObject({
      code: 'NotSupported',
      message: expect.stringContaining('does not say how large') as string,
    });
  });

  it('may be elsewhere, at a host that is allowed, and the password goes nowhere else', async () => {
    const seen: (string | undefined)[] = [];
    const there = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(200, { 'content-length': 7 }).end();
    });
    const here = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(302, { location: `${there}/b.iso` }).end();
    });
    const login = { userName: 'maker', password: 'word' };
    expect(await sizeOf(`${here}/a.iso`, {}, login)).toBe(7);
    expect(seen).toEqual([`Basic ${Buffer.from('maker:word').toString('base64')}`, undefined]);
    await expect(sizeOf(`${here}/a.iso`, { allowedHosts: [new URL(here).host] })).rejects.toThrow('allowedHosts');
  });

  it.each([
    ['/loop', 302, { location: '/loop' }, 'leads from one place to the next'],
    ['/away', 302, { location: 'ftp://127.0.0.1/' }, 'leads from one place to the next'],
    ['/gone', 410, {}, 'answers 410: there is no image'],
    ['/login', 401, {}, 'it wants a user name and a password'],
  ])('is refused with a reason: %s', async (path, status, headers, why) => {
    const url = await serve((_request, response) => {
      response.writeHead(status, headers).end();
    });
    await expect(sizeOf(`${url}${path}`)).rejects.toMatchObject({
      code: 'NotSupported',
      message: expect.stringContaining(why) as string,
    });
  });

  it('may be known later where the server is down, or gets no right password', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(500).end();
    });
    await expect(sizeOf(`${url}/a.iso`)).rejects.toMatchObject({ code: 'Unavailable' });
    const refusing = await serve((_request, response) => {
      response.writeHead(401).end();
    });
    await expect(sizeOf(`${refusing}/a.iso`, {}, { userName: 'maker', password: 'x' })).rejects.toThrow(
      'is wrong there',
    );
    await expect(sizeOf('http://127.0.0.1:1/a.iso')).rejects.toMatchObject({ code: 'Unavailable' });
    await expect(sizeOf('http://no-such-host.invalid/a.iso')).rejects.toThrow('no-such-host.invalid');
  });

  it('is not waited for for ever', async () => {
    const url = await serve(() => undefined);
    await expect(sizeOf(`${url}/a.iso`, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('did not answer') as string,
    });
  });
});
