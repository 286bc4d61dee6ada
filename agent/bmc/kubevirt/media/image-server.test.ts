import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type HostDependencies, UnfinishedLookup } from '../../../../protocols/hosts/index.ts';
import { admitHost, type ImageServerOptions, imageSizeOf } from './image-server.ts';
import { type ImageOrder, imageOrderOf, maskedUrl, mayKnowLogin, shownUrl, withMaskedUrls } from './image-url.ts';

const servers: Server[] = [];

/** A machine that simulates a whole cluster, with one known host name. */
const HOSTS: HostDependencies = {
  allowsLoopback: true,
  resolve: (hostName) => {
    if (hostName === 'images.example') return Promise.resolve(['127.0.0.1']);
    return Promise.reject(Object.assign(new Error(hostName), { code: 'ENOTFOUND' }));
  },
};
/** As on a cluster: loopback addresses are refused. */
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
  it('is requested by HEAD', async () => {
    const methods: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      methods.push(request.method);
      response.writeHead(200, { 'content-length': 12_345 }).end();
    });
    expect(await sizeOf(`${url}/a.iso`)).toBe(12_345);
    expect(methods).toEqual(['HEAD']);
  });

  it('is read from a GET response without its body if HEAD is refused', async () => {
    const url = await serve((request, response) => {
      if (request.method === 'HEAD') response.writeHead(403).end();
      else response.writeHead(200, { 'content-length': 1e12 }).write('the beginning');
    });
    expect(await sizeOf(`${url}/a.iso`)).toBe(1e12);
  });

  it('is an error if the server does not state it', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'transfer-encoding': 'chunked' }).end();
    });
    await expect(sizeOf(`${url}/a.iso`)).rejects.toMatchObject({
      code: 'NotSupported',
      message: expect.stringContaining('does not state the size') as string,
    });
  });

  it('follows a redirect to an allowed host, without the password', async () => {
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
    ['/loop', 302, { location: '/loop' }, 'has too many redirects'],
    ['/away', 302, { location: 'ftp://127.0.0.1/' }, 'has too many redirects'],
    ['/gone', 410, {}, 'answers 410: there is no image'],
    ['/login', 401, {}, 'it requires a user name and a password'],
  ])('is refused with a reason: %s', async (path, status, headers, why) => {
    const url = await serve((_request, response) => {
      response.writeHead(status, headers).end();
    });
    await expect(sizeOf(`${url}${path}`)).rejects.toMatchObject({
      code: 'NotSupported',
      message: expect.stringContaining(why) as string,
    });
  });

  it('is unavailable if the server fails, rejects the password, or cannot be found', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(500).end();
    });
    await expect(sizeOf(`${url}/a.iso`)).rejects.toMatchObject({ code: 'Unavailable' });
    const refusing = await serve((_request, response) => {
      response.writeHead(401).end();
    });
    await expect(sizeOf(`${refusing}/a.iso`, {}, { userName: 'maker', password: 'x' })).rejects.toThrow('is wrong');
    await expect(sizeOf('http://127.0.0.1:1/a.iso')).rejects.toMatchObject({ code: 'Unavailable' });
    await expect(sizeOf('http://no-such-host.invalid/a.iso')).rejects.toThrow('no-such-host.invalid');
  });

  it('is not requested from an internal address unless the owner lists the address', async () => {
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

  it('is not requested from an internal address to which a redirect leads', async () => {
    const here = await serve((_request, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
    });
    await expect(sizeOf(`${here}/a.iso`)).rejects.toMatchObject({
      code: 'NotSupported',
      message: expect.stringContaining('169.254.169.254, which is a link-local address') as string,
    });
  });

  it('is requested only from checked addresses: each request checks again (DNS rebinding)', async () => {
    const hosts: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      hosts.push(request.headers.host);
      if (request.method === 'HEAD') response.writeHead(403).end();
      else response.writeHead(200, { 'content-length': 7 }).end();
    });
    const image = `http://images.example:${new URL(url).port}/a.iso`;
    // The second and later answers have another address (DNS rebinding).
    let lookups = 0;
    const resolve = () => {
      lookups += 1;
      return Promise.resolve([lookups === 1 ? '127.0.0.1' : '169.254.169.254']);
    };
    await expect(sizeOf(image, { hosts: { ...HOSTS, resolve } })).rejects.toThrow('a link-local address');
    expect(hosts).toEqual([new URL(image).host]);
    expect(await sizeOf(image)).toBe(7);
  });

  it('is unavailable if the host name is not resolved in time', async () => {
    const slow = new UnfinishedLookup('LookupTimeout', 'no answer after 5 s');
    const resolve = () => Promise.reject(slow);
    await expect(sizeOf('http://images.example/a.iso', { hosts: { ...HOSTS, resolve } })).rejects.toMatchObject({
      code: 'Unavailable',
      message: 'images.example cannot be found: no answer after 5 s',
    });
    const silent = { ...HOSTS, resolve: () => new Promise<never>(() => undefined) };
    const signal = AbortSignal.timeout(50);
    await expect(sizeOf('http://images.example/a.iso', { hosts: silent, signal })).rejects.toThrow('did not answer');
  });

  it('is unavailable if the server does not answer in time', async () => {
    const url = await serve(() => undefined);
    await expect(sizeOf(`${url}/a.iso`, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('did not answer') as string,
    });
  });
});

async function admitted(image: string, allowedHosts: readonly string[] = []): Promise<readonly string[]> {
  return await admitHost(new URL(image), allowedHosts, {
    allowsLoopback: false,
    ownApi: { host: '10.96.0.1', port: 443 },
    resolve: (hostName) => Promise.resolve(hostName === 'empty.example' ? [] : ['192.0.2.80']),
  });
}

describe('images are accepted', () => {
  it.each([
    ['http://images.example/a', ['images.example']],
    ['http://Images.Example:8080/a', ['IMAGES.example:8080']],
    ['http://anywhere.example/a', []],
  ])('from %s if the owner lists %j', async (image, allowed) => {
    expect(await admitted(image, allowed)).toEqual(['192.0.2.80']);
  });

  it('from an internal address that the owner lists', async () => {
    expect(await admitted('http://[::1]/a', ['::1'])).toEqual(['::1']);
  });
});

describe('images are refused', () => {
  it.each<[string, string, string[]?]>([
    [
      'http://images.example.evil/a',
      'images may not come from images.example.evil: spec.redfish.virtualMedia.allowedHosts of the VirtualMachineBMC ' +
        'lists the allowed hosts',
      ['images.example'],
    ],
    ['https://10.96.0.1/a', 'images may not come from 10.96.0.1, which is the Kubernetes API: name an image server'],
    [
      'http://127.0.0.1:8080/a',
      'images may not come from 127.0.0.1:8080, which is an address of this machine itself: name another server, or ' +
        'add this address to spec.redfish.virtualMedia.allowedHosts of the VirtualMachineBMC',
    ],
    ['http://empty.example/a', 'empty.example has no address'],
  ])('from %s, and the error says what to do', async (image, message, allowed) => {
    await expect(admitted(image, allowed)).rejects.toMatchObject({ code: 'NotSupported', message });
  });
});

const common = { isInserted: true, isWriteProtected: true };

describe('the URL of an image', () => {
  it('is separated from its credentials, which explicit ones override', () => {
    const image = 'https://maker:s%40cret@images.example/a.iso?k=v#part';
    const { url, login } = imageOrderOf({ image, ...common });
    expect(url.href).toBe('https://images.example/a.iso?k=v');
    expect(login).toEqual({ userName: 'maker', password: 's@cret' });
    const given = imageOrderOf({ image, userName: 'other', password: 'word', ...common });
    expect(given.login).toEqual({ userName: 'other', password: 'word' });
    expect(imageOrderOf({ image: 'http://images.example/a', userName: '', ...common }).login).toBeUndefined();
    expect(imageOrderOf({ image: 'http://%zz@images.example/a', ...common }).login?.userName).toBe('%zz');
  });

  it.each([
    '',
    'a.iso',
    'ftp://images.example/a.iso',
    'file:///etc/passwd',
    `http://images.example/${'a'.repeat(2048)}`,
  ])('is refused if invalid: %.40s', (image) => {
    expect(() => imageOrderOf({ image, ...common })).toThrow(
      expect.objectContaining({ code: 'NotSupported' }) as Error,
    );
  });

  it.each([
    ['http://images.example/a', 'http://images.example/b', true],
    ['http://images.example/a', 'https://images.example/a', true],
    ['https://images.example/a', 'http://images.example/a', false],
    ['http://images.example/a', 'http://images.example:81/a', false],
    ['http://images.example/a', 'http://evil.example/a', false],
  ])('keeps its credentials from %s to %s: %s', (first, next, mayKnow) => {
    expect(mayKnowLogin(new URL(next), new URL(first))).toBe(mayKnow);
  });

  it('is shown without its query', () => {
    expect(shownUrl('http://images.example/a.iso?token=x#y')).toBe('http://images.example/a.iso');
  });

  it('is shown with a masked query in the status and in sentences', () => {
    expect(maskedUrl('http://images.example/a.iso')).toBe('http://images.example/a.iso');
    expect(maskedUrl('http://images.example/a.iso?X-Amz-Signature=x')).toBe('http://images.example/a.iso?***');
    expect(withMaskedUrls('Get "https://images.example/a.iso?X-Amz-Signature=x&y=z": EOF? Yes.')).toBe(
      'Get "https://images.example/a.iso?***": EOF? Yes.',
    );
    const common = { isInserted: true, isWriteProtected: true };
    expect(imageOrderOf({ image: 'http://images.example/a?', ...common }).url.href).toBe('http://images.example/a');
  });

  it.each([
    ['http://maker:w@rd@images.example/a.iso', 'http://images.example/a.iso'],
    ['http:\\\\maker:word@images.example\\a.iso', 'http://images.example/a.iso'],
    ['http:maker:word@images.example/a.iso', 'http://images.example/a.iso'],
    ['//maker:word@images.example/a.iso', 'an invalid URL'],
    ['http://maker:wo/rd@images.example/a.iso', 'an invalid URL'],
    ['', 'an invalid URL'],
  ])('is never shown with a password: %s', (url, shown) => {
    expect(shownUrl(url)).toBe(shown);
  });
});
