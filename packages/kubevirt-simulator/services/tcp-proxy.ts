import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Logger } from '@groundcrew/controller-runtime';
import { Balancer, isAmong, sourceFor, type Endpoint, type Proxy } from './service-ports.ts';

/** Milliseconds for a backend to accept a connection. */
const CONNECT_TIMEOUT = 5_000;

/** A forwarded connection. */
interface Passage {
  client: Socket;
  upstream: Socket;
  backend: Endpoint;
}

/** Forwards each connection to the next backend that accepts it, and resets it if none does. */
export class TcpProxy implements Proxy {
  readonly #server: Server;
  readonly #balancer = new Balancer();
  readonly #passages = new Set<Passage>();

  private constructor(server: Server, logger: Logger) {
    this.#server = server;
    server.on('connection', (client) => {
      client.on('error', () => undefined);
      this.#serve(client, this.#balancer.size);
    });
    server.on('error', (error) => {
      logger.warn({ err: error }, 'a TCP port of a Service failed');
    });
  }

  /** Opens the port. Rejects if it cannot be bound. */
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

  setBackends(backends: readonly Endpoint[], draining: readonly Endpoint[] = []): void {
    this.#balancer.set(backends);
    for (const passage of this.#passages) {
      if (!this.#balancer.has(passage.backend) && !isAmong(draining, passage.backend)) end(passage);
    }
  }

  async close(): Promise<void> {
    for (const passage of this.#passages) end(passage);
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
  }

  /** Tries up to `attempts` backends. */
  #serve(client: Socket, attempts: number): void {
    const backend = this.#balancer.pick();
    if (backend === undefined || attempts === 0) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({
      host: backend.address,
      port: backend.port,
      allowHalfOpen: true,
      timeout: CONNECT_TIMEOUT,
      ...sourceFor(client.remoteAddress),
    });
    const passage = { client, upstream, backend };
    this.#passages.add(passage);
    const refused = (): void => {
      this.#passages.delete(passage);
      client.off('close', abandoned);
      this.#serve(client, attempts - 1);
    };
    const abandoned = (): void => {
      this.#passages.delete(passage);
      upstream.off('error', refused).on('error', () => undefined);
      upstream.destroy();
    };
    client.once('close', abandoned);
    upstream.once('error', refused);
    upstream.once('timeout', () => upstream.destroy(new Error('the backend does not answer')));
    upstream.once('connect', () => {
      upstream.setTimeout(0);
      client.off('close', abandoned);
      upstream.off('error', refused);
      this.#pass(passage);
    });
  }

  #pass(passage: Passage): void {
    const { client, upstream } = passage;
    upstream.on('error', () => client.resetAndDestroy());
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('close', () => {
        // After a regular end the other socket still sends its buffer.
        if (!socket.readableEnded || !socket.writableFinished) other.destroy();
        if (other.destroyed) this.#passages.delete(passage);
      });
    }
    client.pipe(upstream).pipe(client);
    client.resume();
  }
}

function end({ client, upstream }: Passage): void {
  client.destroy();
  upstream.destroy();
}
