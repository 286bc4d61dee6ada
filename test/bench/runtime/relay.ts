import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Passes TCP connections on to a port of loopback, and can be taken away: a network that breaks, between two that stand. */
export class Relay {
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #port = 0;
  #server: Server | undefined;

  private constructor(target: number) {
    this.#target = target;
  }

  static async start(target: number): Promise<Relay> {
    const relay = new Relay(target);
    await relay.listen();
    return relay;
  }

  get url(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  /** Listens, at the same port as before. */
  async listen(): Promise<void> {
    const server = createServer((socket) => {
      const onward = connect(this.#target, '127.0.0.1');
      for (const [from, to] of [
        [socket, onward],
        [onward, socket],
      ] as const) {
        this.#sockets.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
        from.pipe(to);
      }
    });
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('a TCP server has a numeric address');
    this.#port = address.port;
    this.#server = server;
  }

  /** Breaks all connections and refuses more until `listen`. */
  async interrupt(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async close(): Promise<void> {
    await this.interrupt();
  }
}
