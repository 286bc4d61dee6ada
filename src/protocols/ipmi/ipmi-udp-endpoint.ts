import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import type { IpmiServer } from './ipmi-server.ts';
import type { Peer } from './peer.ts';

export interface IpmiUdpEndpointOptions {
  server: IpmiServer;
  /** Local addresses, IPv4 and IPv6, without zone. */
  addresses: readonly string[];
  /** The same port on all of them; 0 lets the system choose one for the first address. */
  port: number;
  /** ms of a clock that never goes back. */
  now: () => number;
  /** What goes wrong while it runs: an answer that could not be sent, a socket that failed. It runs on. */
  onError: (error: Error) => void;
}

const TICK_INTERVAL = 1_000;

/** Binds an {@link IpmiServer} to UDP sockets. One packet, whatever it is, never ends it or holds up the others. */
export class IpmiUdpEndpoint {
  readonly #options: IpmiUdpEndpointOptions;
  #sockets: Socket[] = [];
  #ticker: NodeJS.Timeout | undefined;

  constructor(options: IpmiUdpEndpointOptions) {
    this.#options = options;
  }

  /** Port that is bound; 0 before {@link start}. */
  get port(): number {
    return this.#sockets[0]?.address().port ?? 0;
  }

  /** Binds all addresses, or none. @throws Error of `node:dgram`, such as `EADDRINUSE` */
  async start(): Promise<void> {
    let { port } = this.#options;
    try {
      for (const address of this.#options.addresses) {
        const socket = await bind(address, port);
        this.#sockets.push(socket);
        this.#listen(socket);
        port = socket.address().port;
      }
    } catch (error) {
      await this.close();
      throw error;
    }
    this.#ticker = setInterval(() => {
      this.#guard(() => {
        this.#options.server.tick(this.#options.now());
      });
    }, TICK_INTERVAL);
  }

  /** Stops listening. Answers to commands that still run are not sent any more. */
  async close(): Promise<void> {
    clearInterval(this.#ticker);
    const sockets = this.#sockets;
    this.#sockets = [];
    await Promise.all(sockets.map(closeSocket));
  }

  #listen(socket: Socket): void {
    socket.on('error', this.#options.onError);
    socket.on('message', (datagram, from) => {
      this.#guard(() => {
        const peer = { address: from.address, port: from.port };
        const answer = this.#options.server.handle(datagram, peer, this.#options.now());
        if (!(answer instanceof Promise)) {
          this.#send(socket, peer, answer);
          return;
        }
        void answer.then((datagrams) => {
          this.#send(socket, peer, datagrams);
        });
      });
    });
  }

  #send(socket: Socket, to: Peer, datagrams: readonly Buffer[]): void {
    if (!this.#sockets.includes(socket)) return;
    this.#guard(() => {
      // Without a callback, a failure comes as the socket's error event.
      for (const datagram of datagrams) socket.send(datagram, to.port, to.address);
    });
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.onError(error instanceof Error ? error : new Error('not an Error was thrown', { cause: error }));
    }
  }
}

async function bind(address: string, port: number): Promise<Socket> {
  const socket = isIPv6(address) ? createSocket({ type: 'udp6', ipv6Only: true }) : createSocket('udp4');
  try {
    socket.bind(port, address);
    await once(socket, 'listening');
    return socket;
  } catch (error) {
    await closeSocket(socket);
    throw error;
  }
}

async function closeSocket(socket: Socket): Promise<void> {
  await new Promise<void>((resolve) => {
    socket.close(() => {
      resolve();
    });
  });
}
