import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Logger } from '../../kube/index.ts';
import { Balancer } from './balancer.ts';
import type { Proxy } from './proxy.ts';
import type { Endpoint } from './service-ports.ts';

/** Milliseconds that a backend has to take a connection. */
const CONNECT_TIMEOUT = 5_000;

/** Passes connections on, each to a backend of its own. One without a backend is closed at once. */
export class TcpProxy implements Proxy {
  readonly #server: Server;
  readonly #balancer = new Balancer();
  readonly #connections = new Map<Socket, Endpoint>();

  private constructor(server: Server, logger: Logger) {
    this.#server = server;
    server.on('connection', (client) => {
      this.#serve(client);
    });
    server.on('error', (error) => {
      logger.warn({ err: error }, 'a TCP port of a Service failed');
    });
  }

  /** Opens the port. Rejects where it cannot be bound. */
  static async open(listen: Endpoint, logger: Logger): Promise<TcpProxy> {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: listen.address, port: listen.port, exclusive: true }, () => {
        server.off('error', reject);
        resolve();
      });
    });
    return new TcpProxy(server, logger);
  }

  get address(): Endpoint {
    // The address of a TCP server is never a string.
    const { address, port } = this.#server.address() as AddressInfo;
    return { address, port };
  }

  setBackends(backends: readonly Endpoint[]): void {
    this.#balancer.set(backends);
    for (const [client, backend] of this.#connections) if (!this.#balancer.has(backend)) client.destroy();
  }

  async close(): Promise<void> {
    for (const client of this.#connections.keys()) client.destroy();
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
  }

  #serve(client: Socket): void {
    const backend = this.#balancer.pick();
    if (backend === undefined) {
      client.resetAndDestroy();
      return;
    }
    this.#connections.set(client, backend);
    const upstream = connect({
      host: backend.address,
      port: backend.port,
      allowHalfOpen: true,
      timeout: CONNECT_TIMEOUT,
    });
    upstream.once('connect', () => {
      upstream.setTimeout(0);
      client.pipe(upstream).pipe(client);
      client.resume();
    });
    upstream.once('timeout', () => upstream.destroy());
    upstream.on('error', () => client.resetAndDestroy()).on('close', () => client.destroy());
    client.on('error', () => upstream.destroy());
    client.on('close', () => {
      this.#connections.delete(client);
      upstream.destroy();
    });
  }
}
