import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import type { Clock, Logger, Timer } from '@groundcrew/controller-runtime';
import { Balancer, isAmong, sourceFor, type Endpoint, type Proxy } from './service-ports.ts';

/** Milliseconds without a datagram until a client's flow is closed. */
const IDLE = 90_000;
/** Most flows of one port; the least recently used one is closed first. */
const MAX_FLOWS = 1024;

/** The socket from a client to its backend. */
interface Flow {
  socket: Socket;
  backend: Endpoint;
  lastUsed: number;
}

/**
 * Forwards datagrams. Each client has its own socket to one backend, which receives the answers. When the backend is
 * removed and does not drain, the client's next datagram goes to another one.
 */
export class UdpProxy implements Proxy {
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #balancer = new Balancer();
  /** By the client's address and port; least recently used first. */
  readonly #flows = new Map<string, Flow>();
  #sweep: Timer | undefined;

  private constructor(socket: Socket, clock: Clock, logger: Logger) {
    this.#socket = socket;
    this.#clock = clock;
    this.#logger = logger;
    socket.on('message', (message, client) => {
      this.#forward(message, client);
    });
    socket.on('error', (error) => {
      logger.warn({ err: error }, 'a UDP port of a Service failed');
    });
  }

  /** Opens the port. Rejects if it cannot be bound. */
  static async open(listen: Endpoint, clock: Clock, logger: Logger): Promise<UdpProxy> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({ address: listen.address, port: listen.port, exclusive: true }, () => {
        socket.off('error', reject);
        resolve();
      });
    });
    return new UdpProxy(socket, clock, logger);
  }

  get address(): Endpoint {
    const { address, port } = this.#socket.address();
    return { address, port };
  }

  /** Number of clients with a flow. */
  get flows(): number {
    return this.#flows.size;
  }

  setBackends(backends: readonly Endpoint[], draining: readonly Endpoint[] = []): void {
    this.#balancer.set(backends);
    for (const [client, { backend }] of [...this.#flows])
      if (!this.#balancer.has(backend) && !isAmong(draining, backend)) this.#drop(client);
  }

  async close(): Promise<void> {
    this.#sweep?.cancel();
    for (const client of [...this.#flows.keys()]) this.#drop(client);
    await new Promise<void>((resolve) => {
      this.#socket.close(() => {
        resolve();
      });
    });
  }

  #forward(message: Buffer, client: RemoteInfo): void {
    const key = `${client.address} ${client.port}`;
    const flow = this.#flows.get(key) ?? this.#open(client);
    if (flow === undefined) {
      this.#logger.debug({ client: client.address }, 'a datagram was dropped: its Service has no backend');
      return;
    }
    flow.lastUsed = this.#clock.now();
    this.#flows.delete(key);
    this.#flows.set(key, flow);
    flow.socket.send(message, flow.backend.port, flow.backend.address);
    this.#sweep ??= this.#scheduleSweep();
  }

  #open(client: RemoteInfo): Flow | undefined {
    const backend = this.#balancer.pick();
    if (backend === undefined) return undefined;
    const [oldest] = this.#flows.keys();
    if (oldest !== undefined && this.#flows.size >= MAX_FLOWS) this.#drop(oldest);
    const socket = createSocket('udp4');
    socket.on('message', (message, from) => {
      // The socket is not connected, so that a closed port is no error; other senders are ignored.
      if (from.port !== backend.port || from.address !== backend.address) return;
      this.#socket.send(message, client.port, client.address);
    });
    socket.on('error', (error) => {
      this.#logger.debug({ err: error, client: client.address }, 'the socket to a backend failed');
      this.#drop(`${client.address} ${client.port}`);
    });
    const { localAddress: address } = sourceFor(client.address);
    if (address !== undefined) socket.bind({ address });
    return { socket, backend, lastUsed: this.#clock.now() };
  }

  #drop(client: string): void {
    const flow = this.#flows.get(client);
    if (flow === undefined) return;
    this.#flows.delete(client);
    flow.socket.close();
  }

  #scheduleSweep(): Timer {
    return this.#clock.setTimeout(() => {
      const now = this.#clock.now();
      for (const [client, { lastUsed }] of [...this.#flows]) if (now - lastUsed >= IDLE) this.#drop(client);
      this.#sweep = this.#flows.size === 0 ? undefined : this.#scheduleSweep();
    }, IDLE / 2);
  }
}
