import { once } from 'node:events';
import { request } from 'node:http';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServerProcess } from '../process.ts';
import type { NetworkNamespace } from './network-namespace.ts';
import { passOn } from './pass-on.ts';

const START_TIMEOUT = 10_000;
const ANSWER_TIMEOUT = 5000;

export interface TunnelOptions {
  /** Folder for its sockets and log. */
  folder: string;
  /** TCP ports on 127.0.0.1 of this process, made available on the same ports in the namespace. */
  inward: readonly number[];
  /** Addresses `<host>:<port>` in the namespace, made available to this process. */
  outward: readonly string[];
}

/**
 * TCP between this process and a namespace without a common network, through Unix sockets. A server on 127.0.0.1 of
 * this process has the same address and port in the namespace, so that its certificate is valid in both.
 */
export class Tunnel {
  readonly #relay: ServerProcess;
  readonly #servers: readonly Server[];
  readonly #outward: ReadonlyMap<string, string>;

  private constructor(relay: ServerProcess, servers: readonly Server[], outward: ReadonlyMap<string, string>) {
    this.#relay = relay;
    this.#servers = servers;
    this.#outward = outward;
  }

  /** Resolves when connections work. */
  static async open(namespace: NetworkNamespace, { folder, inward, outward }: TunnelOptions): Promise<Tunnel> {
    const socket = (index: number, way: string) => join(folder, `${namespace.name}-${way}${index}.sock`);
    const servers = inward.map((port, index) => passOn(socket(index, 'in'), `127.0.0.1:${port}`));
    await Promise.all(servers.map((server) => once(server, 'listening')));
    const ways = new Map(outward.map((address, index) => [address, socket(index, 'out')]));
    const pairs = [
      ...inward.flatMap((port, index) => [`127.0.0.1:${port}`, socket(index, 'in')]),
      ...[...ways].flatMap(([address, path]) => [path, address]),
    ];
    const log = join(folder, `${namespace.name}-relay.log`);
    const relay = namespace.process(process.execPath, [fileURLToPath(import.meta.resolve('./relay.ts')), ...pairs], {
      log,
    });
    relay.start();
    await relay.waitUntil(
      () => (relay.logTail().includes('ready') ? Promise.resolve() : Promise.reject(new Error('not listening yet'))),
      START_TIMEOUT,
    );
    return new Tunnel(relay, servers, ways);
  }

  /** GET from one of the `outward` addresses. */
  async get(address: string, path: string): Promise<{ status: number; body: string }> {
    const socketPath = this.#outward.get(address);
    if (socketPath === undefined) throw new TypeError(`${address} is not among those that the tunnel leads to`);
    return await new Promise((resolve, reject) => {
      const outgoing = request({ socketPath, path, agent: false, timeout: ANSWER_TIMEOUT }, (incoming) => {
        let body = '';
        incoming.setEncoding('utf8').on('data', (text: string) => {
          body += text;
        });
        incoming.on('error', reject).on('end', () => {
          resolve({ status: incoming.statusCode ?? 0, body });
        });
      });
      outgoing.on('timeout', () => outgoing.destroy(new Error(`${address}${path}: no answer`)));
      outgoing.on('error', reject).end();
    });
  }

  async close(): Promise<void> {
    await this.#relay.dispose();
    for (const server of this.#servers) server.close();
  }
}
