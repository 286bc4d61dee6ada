import type { Socket } from 'node:dgram';
import type { NativeUdp, Packet } from './native-udp.ts';
import { bindSocket, closeSocket } from './udp-socket.ts';

export interface BatchedSocketOptions {
  /** On IPv4, sends several datagrams per system call, and has {@link BatchedSocket.poll}. Default: `node:dgram` only. */
  native: NativeUdp | undefined;
  /** Must not throw. */
  onPacket: (packet: Packet) => void;
  /** Errors of the socket and of single sends. */
  onError: (error: Error) => void;
}

/**
 * A UDP socket that sends the answers to packets that arrived together when all are handled. Each answer wakes a client that waits,
 * which costs more than the answer; eight clients are woken by the first of eight answers.
 */
export class BatchedSocket {
  readonly #socket: Socket;
  readonly #options: BatchedSocketOptions;
  readonly #native: { udp: NativeUdp; fd: bigint } | undefined;
  #outgoing: Packet[] = [];
  /** Whether {@link #flush} will be called anyway: at the end of {@link poll}, or of this turn of the event loop. */
  #isFlushDue = false;
  /** Whether the last {@link poll} found nothing. */
  #isWaiting = true;
  #isClosed = false;

  private constructor(socket: Socket, fd: bigint | undefined, options: BatchedSocketOptions) {
    const { native: udp } = options;
    this.#socket = socket;
    this.#native = udp === undefined || fd === undefined ? undefined : { udp, fd };
    this.#options = options;
    socket.on('error', options.onError);
    socket.on('message', (datagram, { address, port }) => {
      this.#handle({ datagram, address, port });
    });
  }

  /** @throws Error of `node:dgram`: `EADDRNOTAVAIL` if no interface has the address, `EADDRINUSE`, `EACCES` */
  static async bind(address: string, port: number, options: BatchedSocketOptions): Promise<BatchedSocket> {
    // If the system refuses, node:dgram says why.
    const fd = address.includes(':') ? undefined : options.native?.bind(address, port);
    const socket = await bindSocket(address, port, { isNumeric: true, fd: fd === undefined ? undefined : Number(fd) });
    if (fd !== undefined) options.native?.keepPort(fd);
    return new BatchedSocket(socket, fd, options);
  }

  get isNative(): boolean {
    return this.#native !== undefined;
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** Sends it when all packets are handled that were received together with the one that is handled now. */
  send(packet: Packet): void {
    if (this.#isClosed) return;
    this.#outgoing.push(packet);
    this.#flushLater();
  }

  /**
   * Handles and answers what has arrived, without the event loop: one packet if the last call found none, because a packet that the
   * caller has waited for is usually alone, otherwise up to 16 together.
   *
   * @returns whether there was any; undefined without native calls or after the close
   */
  poll(): boolean | undefined {
    const native = this.#native;
    if (native === undefined || this.#isClosed) return undefined;
    const packets = native.udp.receive(native.fd, this.#isWaiting ? 1 : 16);
    this.#isWaiting = packets.length === 0;
    this.#isFlushDue = true;
    try {
      for (const packet of packets) this.#handle(packet);
    } finally {
      this.#isFlushDue = false;
      this.#flush();
    }
    return packets.length > 0;
  }

  /** Stops listening, and sends nothing more. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await closeSocket(this.#socket);
  }

  #handle(packet: Packet): void {
    if (!this.#isClosed) this.#options.onPacket(packet);
  }

  readonly #sent = (error: Error | null): void => {
    if (error !== null && !this.#isClosed) this.#options.onError(error);
  };

  #flushLater(): void {
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    setImmediate(() => {
      this.#isFlushDue = false;
      this.#flush();
    });
  }

  #flush(): void {
    const packets = this.#outgoing;
    if (packets.length === 0 || this.#isClosed) return;
    this.#outgoing = [];
    const sent = this.#native?.udp.send(this.#native.fd, packets) ?? 0;
    // It sends what is left, or says why not. What it keeps while the system accepts nothing is sent after later datagrams.
    for (const { datagram, address, port } of packets.slice(sent)) {
      try {
        this.#socket.send(datagram, port, address, this.#sent);
      } catch (error) {
        // A datagram can be from port 0, and dgram throws for that.
        this.#sent(error instanceof Error ? error : new Error('a datagram was not sent', { cause: error }));
      }
    }
  }
}
