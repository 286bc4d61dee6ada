import type { RemoteInfo, Socket, SocketOptions } from 'node:dgram';
import { bindSocket, closeSocket } from './bind-socket.ts';
import { SendBuffers } from './send-buffers.ts';

/** Bytes: what the system's own 208 KiB hold is 166 datagrams, less than come at once when a host of VMs starts. */
const RECEIVE_BUFFER = 4 * 1024 * 1024;

/** What a bound socket got from the system. */
export interface BoundInputs {
  address: string;
  port: number;
  /** Bytes, as the kernel counts them: twice what it granted. Less than 8 MiB: `net.core.rmem_max` is below 4 MiB. */
  receiveBuffer: number;
}

interface DhcpSocketOptions {
  /** Whether others may have the port too: the process before this one, which is about to end. */
  reuseAddr: boolean;
  onMessage: (datagram: Uint8Array, from: RemoteInfo) => void;
  /** Of the socket, and of single datagrams that could not be sent. */
  onError: (error: Error) => void;
}

/** A UDP socket of a DHCP server. Sends at once, and copies what the system does not take at once. */
export class DhcpSocket {
  readonly #socket: Socket;
  readonly #buffers = new SendBuffers();
  readonly #sent: (error: Error | null) => void;
  #isClosed = false;

  private constructor(socket: Socket, { onMessage, onError }: DhcpSocketOptions) {
    this.#socket = socket;
    this.#sent = (error) => {
      if (error !== null && !this.#isClosed) onError(error);
    };
    socket.on('error', onError);
    socket.on('message', onMessage);
  }

  /** @throws Error of `node:dgram`: `EADDRNOTAVAIL` where the address is none of this machine, `EADDRINUSE`, `EACCES` */
  static async bind(address: string, port: number, options: DhcpSocketOptions): Promise<DhcpSocket> {
    const { reuseAddr } = options;
    const socket = await bindSocket({ reuseAddr, recvBufferSize: RECEIVE_BUFFER, lookup: asItIs }, port, address);
    socket.setBroadcast(true);
    return new DhcpSocket(socket, options);
  }

  get inputs(): BoundInputs {
    const { address, port } = this.#socket.address();
    return { address, port, receiveBuffer: this.#socket.getRecvBufferSize() };
  }

  /** The datagram may be overwritten as soon as this returns. */
  send(datagram: Uint8Array, port: number, address: string): void {
    const copy = this.#buffers.copy(datagram, this.#socket.getSendQueueCount());
    if (copy === undefined) {
      this.#sent(new SendQueueFullError(`${address}:${port} was not answered: the send queue is full`));
      return;
    }
    // Without a callback, a failure comes as the socket's error event.
    this.#socket.send(copy, port, address, this.#sent);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await closeSocket(this.#socket);
  }
}

/** Datagrams come faster than the network takes the answers. The client asks again. */
class SendQueueFullError extends Error {
  override readonly name = 'SendQueueFullError';
  readonly code = 'SendQueueFull';
}

/** Addresses are numbers already. Without this, each datagram waits for the next turn of the event loop. */
const asItIs: NonNullable<SocketOptions['lookup']> = (name, _, found) => {
  found(null, name, 4);
};
