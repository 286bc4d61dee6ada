import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { UnfinishedLookup, type HostDependencies } from '../../../../protocols/hosts/index.ts';
import { imageSizeOf, type ImageServerOptions } from './image-server.ts';
import type { ImageOrder } from './image-url.ts';

const servers: Server[] = [];

/** This machine simulates all of a cluster; these are the names that it knows. */
const HOSTS: HostDependencies = {
  allowsLoopback: true,
  resolve: (hostName) => {
    if (hostName === 'images.example') return Promise.resolve(['127.0.0.1']);
    return Promise.reject(Object.assign(new Error(hostName), { code: 'ENOTFOUND' }));
  },
};
/** Of a BMC whose clients may not name this machine. */
const STRICT: HostDependencies = { ...HOSTS, allowsLoopback: false };

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
    hosts: HOSTS,
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

  it('is asked of no server that may not be asked, and of one that the owner lists by its address', async () => {
    let asked = 0;
    const url = await serve((_request, response) => {
      asked += 1;
      response.writeHead(200, { 'content-length': 7 }).end();
    });
    await expect(sizeOf(`${url}/a.iso`, { hosts: STRICT })).rejects.toMatchObject({
      code: 'NotSupported',
      message: expect.stringContaining('which is an address of this machine itself') as string,
    });
    expect(asked).toBe(0);
    expect(await sizeOf(`${url}/a.iso`, { hosts: STRICT, allowedHosts: ['127.0.0.1'] })).toBe(7);
  });

  it('is asked of no server that a redirect leads to and that may not be asked', async () => {
    const here = await serve((_request, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
    });
    await expect(sizeOf(`${here}/a.iso`)).rejects.toMatchObject({
      code: 'NotSupported',
      message: expect.stringContaining('169.254.169.254, which is a link-local address') as string,
    });
  });

  it('is asked at an address that was evaluated, each time', async () => {
    const hosts: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      hosts.push(request.headers.host);
      if (request.method === 'HEAD') response.writeHead(403).end();
      else response.writeHead(200, { 'content-length': 7 }).end();
    });
    const image = `http://images.example:${new URL(url).port}/a.iso`;
    // The second and later answers lead elsewhere, as of one who rebinds a name.
    let lookups = 0;
    const resolve = () => {
      lookups += 1;
      return Promise.resolve([lookups === 1 ? '127.0.0.1' : '169.254.169.254']);
    };
    await expect(sizeOf(image, { hosts: { ...HOSTS, resolve } })).rejects.toThrow('a link-local address');
    expect(hosts).toEqual([new URL(image).host]);
    expect(await sizeOf(image)).toBe(7);
  });

  it('is not known where its name takes too long to be found', async () => {
    const slow = new UnfinishedLookup('LookupTimeout', 'nothing is known of its name after 5 s');
    const resolve = () => Promise.reject(slow);
    await expect(sizeOf('http://images.example/a.iso', { hosts: { ...HOSTS, resolve } })).rejects.toMatchObject({
      code: 'Unavailable',
      message: 'images.example cannot be found: nothing is known of its name after 5 s',
    });
    const silent = { ...HOSTS, resolve: () => new Promise<never>(() => undefined) };
    const signal = AbortSignal.timeout(50);
    await expect(sizeOf('http://images.example/a.iso', { hosts: silent, signal })).rejects.toThrow('did not answer');
  });

  it('is not waited for for ever', async () => {
    const url = await serve(() => undefined);
    await expect(sizeOf(`${url}/a.iso`, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('did not answer') as string,
    });
  });
});
