import type { Socket } from 'node:dgram';
import type { Transmission } from '../client/index.ts';
import { formatAddress } from '../options/format.ts';
import { bindSocket, closeSocket } from './bind-socket.ts';

/** RFC 2131 §4.1. */
const CLIENT_PORT = 68;
const SERVER_PORT = 67;

/** How a client's datagrams go out and answers come in. */
export interface ClientTransport {
  /** @throws Error of `node:dgram`: `EADDRINUSE`, or `EACCES` where ports below 1024 are not for this user */
  open(handlers: { onDatagram: (datagram: Uint8Array) => void; onError: (error: Error) => void }): Promise<void>;
  send(transmission: Transmission): void;
  close(): Promise<void>;
}

export interface BroadcastTransportOptions {
  /** An address of the interface to ask on; absent: that of the default route. */
  address?: string;
  /** The well-known ones unless told otherwise, which only tests do. */
  clientPort?: number;
  serverPort?: number;
}

/** As a client on the network itself: broadcasts from port 68. It hears broadcasts, and what is for its own address. */
export function broadcastTransport({
  address,
  clientPort = CLIENT_PORT,
  serverPort = SERVER_PORT,
}: BroadcastTransportOptions = {}): ClientTransport {
  const sockets = new Sockets();
  return {
    async open(handlers) {
      // The kernel gives broadcasts only to a socket that is bound to no address of an interface.
      await sockets.bind('0.0.0.0', clientPort, handlers);
      if (address !== undefined) await sockets.bind(address, clientPort, handlers);
    },
    send({ datagram, to }) {
      sockets.send(datagram, serverPort, to === 'everybody' ? '255.255.255.255' : formatAddress(to));
    },
    close: () => sockets.close(),
  };
}

export interface ServerTransportOptions {
  server: { host: string; port: number };
  /** Local address and port; absent: the system chooses. */
  address?: string;
  port?: number;
}

/** To one server, whatever would be broadcast too: as a relay agent does, and on networks simulated on loopback. */
export function serverTransport({ server, address = '0.0.0.0', port = 0 }: ServerTransportOptions): ClientTransport {
  const sockets = new Sockets();
  return {
    open: (handlers) => sockets.bind(address, port, handlers),
    send({ datagram }) {
      sockets.send(datagram, server.port, server.host);
    },
    close: () => sockets.close(),
  };
}

type Handlers = Parameters<ClientTransport['open']>[0];

/** Sockets that listen together; what is sent goes by the last that was bound. */
class Sockets {
  #sockets: Socket[] = [];
  #onError: (error: Error) => void = () => undefined;

  async bind(address: string, port: number, { onDatagram, onError }: Handlers): Promise<void> {
    this.#onError = onError;
    try {
      const socket = await bindSocket({ reuseAddr: port !== 0 }, port, address);
      this.#sockets.push(socket);
      socket.setBroadcast(true);
      socket.on('error', onError);
      socket.on('message', onDatagram);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  send(datagram: Uint8Array, port: number, host: string): void {
    this.#sockets.at(-1)?.send(datagram, port, host, (error) => {
      if (error !== null) this.#onError(error);
    });
  }

  async close(): Promise<void> {
    const sockets = this.#sockets;
    this.#sockets = [];
    this.#onError = () => undefined;
    await Promise.all(sockets.map(closeSocket));
  }
}
