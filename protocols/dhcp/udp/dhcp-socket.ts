import type { RemoteInfo, Socket } from 'node:dgram';
import { bindSocket, closeSocket } from '../../udp/udp-socket.ts';

/** Bytes. The system default of 208 KiB holds 166 datagrams, fewer than arrive at once when a host of VMs starts. */
const RECEIVE_BUFFER = 4 * 1024 * 1024;

/** Properties of a bound socket. */
export interface BoundInputs {
  address: string;
  port: number;
  /** Bytes, as the kernel counts them: twice the granted size. Less than 8 MiB if `net.core.rmem_max` is below 4 MiB. */
  receiveBuffer: number;
}

interface DhcpSocketOptions {
  /** Whether another process may bind the port too, for the overlap with the previous process. */
  reuseAddr: boolean;
  onMessage: (datagram: Uint8Array, from: RemoteInfo) => void;
  /** Errors of the socket and of single sends. */
  onError: (error: Error) => void;
}

/** A UDP socket of a DHCP server. It sends at once, and copies datagrams that the system does not accept at once. */
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

  /** @throws Error of `node:dgram`: `EADDRNOTAVAIL` if no interface has the address, `EADDRINUSE`, `EACCES` */
  static async bind(address: string, port: number, options: DhcpSocketOptions): Promise<DhcpSocket> {
    const { reuseAddr } = options;
    const socket = await bindSocket(address, port, { reuseAddr, recvBufferSize: RECEIVE_BUFFER, isNumeric: true });
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
    // Without a callback, a failure becomes the socket's error event.
    this.#socket.send(copy, port, address, this.#sent);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await closeSocket(this.#socket);
  }
}

/** Datagrams arrive faster than answers can be sent. The client retransmits. */
class SendQueueFullError extends Error {
  override readonly name = 'SendQueueFullError';
  readonly code = 'SendQueueFull';
}

/** Maximum length of an answer: an Ethernet frame. */
const SLOT = 1500;
const SLOTS = 256;

/**
 * Buffers for datagrams that are being sent. The system accepts most datagrams at once. A datagram that it does not accept is read
 * again later, when the server has already overwritten its own buffer. Slots are used in turn: a slot is reused only when all datagrams
 * before the last {@link SLOTS} are sent.
 */
export class SendBuffers {
  /** Allocated with the first datagram. */
  #memory: Buffer | undefined;
  #next = 0;

  /** @param queued number of waiting datagrams. @returns undefined if there is no free slot */
  copy(datagram: Uint8Array, queued: number): Uint8Array | undefined {
    if (queued >= SLOTS) return undefined;
    if (datagram.length > SLOT) return Uint8Array.from(datagram);
    this.#memory ??= Buffer.allocUnsafeSlow(SLOT * SLOTS);
    const start = this.#next * SLOT;
    this.#next = (this.#next + 1) % SLOTS;
    this.#memory.set(datagram, start);
    return this.#memory.subarray(start, start + datagram.length);
  }
}
