import type { RemoteInfo, Socket } from 'node:dgram';
import { BusyPoll } from '../busy-poll.ts';
import { bindSocket, closeSocket } from '../udp-socket.ts';
import type { IpmiServer } from './ipmi-server.ts';
import type { Peer } from './datagram.ts';

export interface IpmiUdpEndpointOptions {
  server: Pick<IpmiServer, 'handle' | 'tick'>;
  /** Whether to wait busily for the next request after an answer, see {@link BusyPoll}; default never. */
  polls?: () => boolean;
  /** Whether one session has the endpoint to itself: its client waits for each answer. Default never. */
  single?: () => boolean;
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

/** Binds an {@link IpmiServer} to UDP sockets. No packet can stop it or block other packets. */
export class IpmiUdpEndpoint {
  readonly #options: IpmiUdpEndpointOptions;
  #sockets: Socket[] = [];
  #ticker: NodeJS.Timeout | undefined;
  readonly #awake: BusyPoll;
  /** Datagrams to send at the end of this turn of the event loop. */
  #outgoing: { peer: UdpPeer; datagram: Buffer }[] = [];

  constructor(options: IpmiUdpEndpointOptions) {
    this.#options = options;
    this.#awake = new BusyPoll(options);
  }

  /** The bound port; 0 before {@link start}. */
  get port(): number {
    return this.#sockets[0]?.address().port ?? 0;
  }

  /** Binds all addresses, or none. @throws Error of `node:dgram`, such as `EADDRINUSE` */
  async start(): Promise<void> {
    let { port } = this.#options;
    try {
      for (const address of this.#options.addresses) {
        const socket = await bindSocket(address, port, { isNumeric: true });
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

  /** Sends an unsolicited datagram to a peer that the server knows from this endpoint. */
  send(datagram: Buffer, peer: Peer): void {
    if (!(peer instanceof UdpPeer)) throw new TypeError('the peer is not from a UDP endpoint');
    this.#send(peer, datagram);
  }

  /** Stops listening. Answers to running commands are not sent. */
  async close(): Promise<void> {
    clearInterval(this.#ticker);
    const sockets = this.#sockets;
    this.#sockets = [];
    await Promise.all(sockets.map(closeSocket));
  }

  #listen(socket: Socket): void {
    const { server, now, polls } = this.#options;
    socket.on('error', this.#options.onError);
    socket.on('message', (datagram, from) => {
      try {
        const peer = new UdpPeer(from, socket);
        const answer = server.handle(datagram, peer, now());
        if (answer instanceof Promise) void this.#sendLater(peer, answer);
        else for (const one of answer) this.#send(peer, one);
        if (polls?.() === true) this.#awake.extend();
      } catch (error) {
        this.#failed(error);
      }
    });
  }

  async #sendLater(peer: UdpPeer, answer: Promise<readonly Buffer[]>): Promise<void> {
    for (const datagram of await answer) this.#send(peer, datagram);
  }

  /**
   * Sends it at once if its client waits for nothing else. If not, after all datagrams that have arrived were handled: the first answer
   * then wakes a client, and the others find it awake.
   */
  #send(peer: UdpPeer, datagram: Buffer): void {
    if (this.#outgoing.length === 0 && this.#options.single?.() === true) this.#sendNow(peer, datagram);
    else if (this.#outgoing.push({ peer, datagram }) === 1) setImmediate(this.#sendAll);
  }

  readonly #sendAll = (): void => {
    const outgoing = this.#outgoing;
    this.#outgoing = [];
    for (const { peer, datagram } of outgoing) this.#sendNow(peer, datagram);
  };

  #sendNow({ socket, address, port }: UdpPeer, datagram: Buffer): void {
    if (!this.#sockets.includes(socket)) return;
    try {
      // Without a callback, a failure becomes the socket's error event.
      socket.send(datagram, port, address);
    } catch (error) {
      this.#failed(error);
    }
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#failed(error);
    }
  }

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
  readonly socket: Socket;

  constructor({ address, port }: RemoteInfo, socket: Socket) {
    this.address = address;
    this.port = port;
    this.socket = socket;
  }
}
