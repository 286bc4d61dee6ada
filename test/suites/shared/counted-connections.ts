import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Passes the connections of one process on to the API server, and counts them. */
export class CountedConnections {
  /** `https://127.0.0.1:<port>` */
  readonly server: string;
  readonly #listener: Server;
  readonly #open = new Map<Socket, Socket>();
  #most = 0;
  #isStalled = false;

  private constructor(listener: Server, target: URL) {
    this.server = `https://127.0.0.1:${(listener.address() as AddressInfo).port}`; // A TCP server that listens has one.
    this.#listener = listener;
    listener.on('connection', (socket) => {
      this.#pass(socket, connect(Number(target.port), target.hostname));
    });
  }

  /** @param server `https://127.0.0.1:<port>` */
  static async start(server: string): Promise<CountedConnections> {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new CountedConnections(listener, new URL(server));
  }

  /** Connections that were open at a time, since the last {@link stall}. */
  get most(): number {
    return this.#most;
  }

  /** From now on, the process gets no answers. */
  stall(): void {
    this.#isStalled = true;
    this.#most = this.#open.size;
    for (const upstream of this.#open.values()) upstream.pause();
  }

  close(): void {
    this.#listener.close();
    for (const [socket, upstream] of this.#open) {
      socket.destroy();
      upstream.destroy();
    }
  }

  #pass(socket: Socket, upstream: Socket): void {
    this.#open.set(socket, upstream);
    this.#most = Math.max(this.#most, this.#open.size);
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      one.on('error', () => undefined);
      one.once('close', () => {
        this.#open.delete(socket);
        other.destroy();
      });
    }
    socket.pipe(upstream);
    upstream.on('data', (bytes) => socket.write(bytes));
    if (this.#isStalled) upstream.pause();
  }
}
