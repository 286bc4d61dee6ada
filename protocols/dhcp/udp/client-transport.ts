import type { Socket } from 'node:dgram';
import type { Transmission } from '../client/dhcp-client.ts';
import { formatAddress } from '../../udp/ipv4-text.ts';
import { bindSocket, closeSocket } from '../../udp/udp-socket.ts';

/** RFC 2131 §4.1. */
const CLIENT_PORT = 68;
const SERVER_PORT = 67;

/** Sends a client's datagrams and receives the answers. */
export interface ClientTransport {
  /** @throws Error of `node:dgram`: `EADDRINUSE`, or `EACCES` if this user cannot bind ports below 1024 */
  open(handlers: { onDatagram: (datagram: Uint8Array) => void; onError: (error: Error) => void }): Promise<void>;
  send(transmission: Transmission): void;
  close(): Promise<void>;
}

export interface BroadcastTransportOptions {
  /** An address of the interface to use; absent: the interface of the default route. */
  address?: string;
  /** Default: the well-known ports; tests use others. */
  clientPort?: number;
  serverPort?: number;
}

/** Broadcasts from port 68 on the local network. Receives broadcasts and unicast to its own address. */
export function broadcastTransport({
  address,
  clientPort = CLIENT_PORT,
  serverPort = SERVER_PORT,
}: BroadcastTransportOptions = {}): ClientTransport {
  const sockets = new Sockets();
  return {
    async open(handlers) {
      // The kernel delivers broadcasts only to a socket that is not bound to an interface address.
      await sockets.bind('0.0.0.0', clientPort, handlers);
      if (address !== undefined) await sockets.bind(address, clientPort, handlers);
    },
    send({ datagram, to }) {
      sockets.send(datagram, serverPort, to === 'broadcast' ? '255.255.255.255' : formatAddress(to));
    },
    close: () => sockets.close(),
  };
}

export interface ServerTransportOptions {
  server: { host: string; port: number };
  /** Local address and port; absent: chosen by the system. */
  address?: string;
  port?: number;
}

/** Sends everything to one server, broadcasts too, as a relay agent does; also for networks simulated on loopback. */
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

/** Sockets that receive together; the last bound one sends. */
class Sockets {
  #sockets: Socket[] = [];
  #onError: (error: Error) => void = () => undefined;

  async bind(address: string, port: number, { onDatagram, onError }: Handlers): Promise<void> {
    this.#onError = onError;
    try {
      const socket = await bindSocket(address, port, { reuseAddr: port !== 0 });
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
