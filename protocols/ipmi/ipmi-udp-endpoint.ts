import { BatchedSocket, type BatchedSocketOptions } from '../udp/batched-socket.ts';
import { BusyPoll } from '../udp/busy-poll.ts';
import type { Packet } from '../udp/native-udp.ts';
import type { IpmiServer } from './ipmi-server.ts';
import type { Peer } from './datagram.ts';

export interface IpmiUdpEndpointOptions {
  server: Pick<IpmiServer, 'handle' | 'tick'>;
  /** See {@link BatchedSocketOptions.native}. */
  native?: BatchedSocketOptions['native'];
  /** Whether to wait busily for the next request after an answer, see {@link BusyPoll}; default never. */
  polls?: () => boolean;
  /** Local addresses, IPv4 and IPv6, without zone. */
  addresses: readonly string[];
  /** The same port on all addresses; 0: the system chooses one for the first address. */
  port: number;
  /** ms of a monotonic clock. */
  now: () => number;
  /** Errors while it runs, such as a failed send. The endpoint continues. */
  onError: (error: Error) => void;
}

const TICK_INTERVAL = 1_000;
/** ms. A client has thousands of answers in a second, and a collection of garbage looks like another process. */
const LEAST_REST = 10;

/** Binds an {@link IpmiServer} to UDP sockets. No packet can stop it or block other packets. */
export class IpmiUdpEndpoint {
  readonly #options: IpmiUdpEndpointOptions;
  #sockets: BatchedSocket[] = [];
  #ticker: NodeJS.Timeout | undefined;
  readonly #awake: BusyPoll;

  constructor(options: IpmiUdpEndpointOptions) {
    this.#options = options;
    this.#awake = new BusyPoll({ now: options.now, leastRest: LEAST_REST, poll: this.#poll });
  }

  /** The bound port; 0 before {@link start}. */
  get port(): number {
    return this.#sockets[0]?.port ?? 0;
  }

  /** Whether every address has native calls. */
  get isNative(): boolean {
    return this.#sockets.every((socket) => socket.isNative);
  }

  /** Binds all addresses, or none. @throws Error of `node:dgram`, such as `EADDRINUSE` */
  async start(): Promise<void> {
    let { port } = this.#options;
    try {
      for (const address of this.#options.addresses) {
        const socket = await this.#bind(address, port);
        this.#sockets.push(socket);
        port = socket.port;
      }
    } catch (error) {
      await this.close();
      throw error;
    }
    this.#ticker = setInterval(() => {
      try {
        this.#options.server.tick(this.#options.now());
      } catch (error) {
        this.#failed(error);
      }
    }, TICK_INTERVAL);
  }

  /** Sends an unsolicited datagram to a peer that the server knows from this endpoint. */
  send(datagram: Buffer, peer: Peer): void {
    if (!(peer instanceof UdpPeer)) throw new TypeError('the peer is not from a UDP endpoint');
    peer.send(datagram);
  }

  /** Stops listening. Answers to running commands are not sent. */
  async close(): Promise<void> {
    clearInterval(this.#ticker);
    const sockets = this.#sockets;
    this.#sockets = [];
    await Promise.all(sockets.map((socket) => socket.close()));
  }

  async #bind(address: string, port: number): Promise<BatchedSocket> {
    const { server, native, now, onError } = this.#options;
    const socket = await BatchedSocket.bind(address, port, {
      native,
      onPacket: (packet) => {
        try {
          const peer = new UdpPeer(packet, socket);
          const answer = server.handle(packet.datagram, peer, now());
          if (answer instanceof Promise) void this.#answerLater(peer, answer);
          else this.#answer(peer, answer);
        } catch (error) {
          this.#failed(error);
        }
      },
      onError,
    });
    return socket;
  }

  #answer(peer: UdpPeer, datagrams: readonly Buffer[]): void {
    for (const datagram of datagrams) peer.send(datagram);
    if (datagrams.length > 0 && this.#options.polls?.() === true) this.#awake.extend();
  }

  async #answerLater(peer: UdpPeer, answer: Promise<readonly Buffer[]>): Promise<void> {
    this.#answer(peer, await answer);
  }

  readonly #poll = (): boolean | undefined => {
    let found = false;
    for (const socket of this.#sockets) found = socket.poll() === true || found;
    return this.isNative ? found : undefined;
  };

  #failed(error: unknown): void {
    this.#options.onError(
      error instanceof Error ? error : new Error('a value that is not an Error was thrown', { cause: error }),
    );
  }
}

/** The source of a datagram and its socket: clients drop answers from another address. */
class UdpPeer implements Peer {
  readonly address: string;
  readonly port: number;
  readonly #socket: BatchedSocket;

  constructor({ address, port }: Packet, socket: BatchedSocket) {
    this.address = address;
    this.port = port;
    this.#socket = socket;
  }

  send(datagram: Buffer): void {
    this.#socket.send({ datagram, address: this.address, port: this.port });
  }
}
