import { createServer, type Server, type ServerOptions } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { issueServerCertificate } from '../certificates.ts';

/** Handles a request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** An HTTPS server on 127.0.0.1 with its own CA that counts its connections. */
export class LoopbackServer {
  /** PEM. */
  readonly ca: string;
  /** Number of all TLS connections so far. */
  connections = 0;
  readonly #server: Server;

  private constructor(ca: string, options: ServerOptions, handler: Handler) {
    this.ca = ca;
    this.#server = createServer(options, handler);
    // No keep-alive timeout, as in kube-apiserver: with Node's default of 5 s, the number of connections would depend
    // on the load of the machine.
    this.#server.keepAliveTimeout = 0;
    this.#server.on('secureConnection', () => (this.connections += 1));
  }

  static async start(handler: Handler, options: ServerOptions = {}): Promise<LoopbackServer> {
    const { ca, ...pair } = await issueServerCertificate({ names: ['127.0.0.1'], now: Date.now() });
    const server = new LoopbackServer(ca, { ...options, ...pair }, handler);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    // address() returns null for a server that does not listen and a string for a pipe.
    const { port } = this.#server.address() as AddressInfo;
    return `https://127.0.0.1:${port}`;
  }

  /** Number of open connections. */
  async open(): Promise<number> {
    return await new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => {
        if (error === null) resolve(count);
        else reject(error);
      });
    });
  }

  /** Destroys all connections. */
  cut(): void {
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
      this.cut();
    });
  }
}
