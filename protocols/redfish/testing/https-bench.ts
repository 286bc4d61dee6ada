import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as tlsConnect, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, expect } from 'vitest';
import { type HttpsLimits, RedfishHttpsEndpoint, type Upgrades } from '../https/index.ts';
import { selfSigned } from './self-signed.ts';

/** Answers with the request's path. */
export const echo: RequestListener = (request, response) => {
  request.resume().on('end', () => {
    response.end(`${request.method ?? ''} ${request.url ?? ''}`);
  });
};

/** An endpoint and connections to it; all are closed after each test. Call it once per file, outside of tests. */
export function httpsBench(): HttpsBench {
  const bench = new HttpsBench();
  beforeAll(async () => {
    bench.certificate = await selfSigned('first');
  });
  afterEach(async () => {
    for (const socket of bench.open.splice(0)) socket.destroy();
    await bench.endpoint.close();
    expect(bench.errors.splice(0)).toEqual([]);
  });
  return bench;
}

class HttpsBench {
  endpoint = new RedfishHttpsEndpoint({ addresses: [], port: 0, handler: echo, onError: () => undefined });
  certificate = { key: '', cert: '' };
  readonly open: Socket[] = [];
  readonly errors: Error[] = [];
  /** What the next endpoint does with upgrades. */
  upgrades: Upgrades | undefined;

  async start(handler = echo, limits: Partial<HttpsLimits> = {}, http = false): Promise<RedfishHttpsEndpoint> {
    this.endpoint = new RedfishHttpsEndpoint({
      addresses: ['127.0.0.1', '127.0.0.2'],
      port: 0,
      ...(http && { httpPort: 0 }),
      handler,
      ...(this.upgrades && { upgrades: this.upgrades }),
      onError: (error) => this.errors.push(error),
      limits: { checks: 20, ...limits },
    });
    this.endpoint.setCertificate(this.certificate);
    await this.endpoint.start();
    return this.endpoint;
  }

  async plain(host = '127.0.0.1', port = this.endpoint.port): Promise<Socket> {
    const socket = connect({ host, port });
    this.open.push(socket.on('error', () => undefined));
    await once(socket, 'connect');
    return socket;
  }

  async tls(
    options: {
      maxVersion?: 'TLSv1.1' | 'TLSv1.2';
      host?: string;
      ALPNProtocols?: string[];
      session?: Buffer;
    } = {},
  ): Promise<TLSSocket> {
    const socket = tlsConnect({
      host: '127.0.0.1',
      port: this.endpoint.port,
      rejectUnauthorized: false,
      ALPNProtocols: ['h2', 'http/1.1'],
      // Allows TLS 1.1 in this client.
      ...(options.maxVersion === 'TLSv1.1' && { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' }),
      ...options,
    });
    this.open.push(socket);
    await once(socket, 'secureConnect');
    return socket.on('error', () => undefined);
  }
}
