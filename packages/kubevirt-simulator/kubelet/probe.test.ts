import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRefused, runProbe, type ProbeTarget } from './probe.ts';

let server: Server;
let target: ProbeTarget;
let port: number;

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/hangs') return;
    response.writeHead(request.url === '/ok' ? 200 : 503).end('not yet');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  target = { podIp: '127.0.0.1', ports: new Map([['health', port]]) };
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('a probe', () => {
  it('succeeds on an answer of 200, at a port by name or number', async () => {
    expect(await runProbe({ httpGet: { path: '/ok', port: 'health' } }, target)).toBeUndefined();
    expect(await runProbe({ httpGet: { path: '/ok', port } }, target)).toBeUndefined();
  });

  it('quotes an answer that is none', async () => {
    expect(await runProbe({ httpGet: { path: '/', port } }, target)).toBe(
      'HTTP probe failed with statuscode: 503: not yet',
    );
  });

  it('gives up after its timeout', async () => {
    expect(await runProbe({ httpGet: { path: '/hangs', port }, timeoutSeconds: 0.1 }, target)).toBe(
      `Get "http://127.0.0.1:${port}/hangs": context deadline exceeded`,
    );
  });

  it('says where nobody listens, or no port is named so', async () => {
    expect(await runProbe({ httpGet: { path: '/', port: 1 } }, target)).toMatch(/ECONNREFUSED/);
    expect(await runProbe({ httpGet: { path: '/', port: 'none' } }, target)).toBe("couldn't find port none");
  });

  it('tells where nobody listens from any other failure', async () => {
    const failures = await Promise.all(
      [{ httpGet: { path: '/', port: 1 } }, { tcpSocket: { port: 1 } }, { httpGet: { path: '/', port } }].map((probe) =>
        runProbe(probe, target),
      ),
    );
    expect(failures.map((failure) => isRefused(failure ?? ''))).toEqual([true, true, false]);
    expect(isRefused('HTTP probe failed with statuscode: 503: connect ECONNREFUSED 127.0.0.1:1')).toBe(false);
  });

  it('connects to a socket', async () => {
    expect(await runProbe({ tcpSocket: { port } }, target)).toBeUndefined();
    expect(await runProbe({ tcpSocket: { port: 1 } }, target)).toMatch(/ECONNREFUSED/);
  });
});
