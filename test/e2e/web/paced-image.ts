import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Bytes. */
const SIZE = 100_000;

/** An image on a server of its own, which sends as much of it as it is told. */
export class PacedImage {
  readonly #server: Server;
  readonly #transfers = new Map<ServerResponse, number>();
  #allowed = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      response.setHeader('Content-Length', SIZE);
      if (request.method === 'HEAD') {
        response.end();
        return;
      }
      response.flushHeaders();
      this.#transfers.set(response, 0);
      response.on('close', () => this.#transfers.delete(response));
      this.#send();
    });
  }

  static async start(): Promise<PacedImage> {
    const image = new PacedImage();
    await new Promise<void>((resolve) => image.#server.listen(0, '127.0.0.1', resolve));
    return image;
  }

  get url(): string {
    // address() returns null for a server that does not listen and a string for a pipe.
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/installer.iso`;
  }

  /** @param percent of the image, from its begin */
  sendUpTo(percent: number): void {
    this.#allowed = (SIZE * percent) / 100;
    this.#send();
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #send(): void {
    for (const [response, sent] of this.#transfers) {
      response.write(Buffer.alloc(Math.max(0, this.#allowed - sent)));
      this.#transfers.set(response, this.#allowed);
      if (this.#allowed === SIZE) response.end();
    }
  }
}
