import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startPopulatedSandbox, type PopulatedSandbox } from '../../harness/sandbox/index.ts';

/** Bytes. */
const IMAGE_SIZE = 1_000_000;

export interface ImageServer {
  /** URL of the image. */
  image: string;
  /** URL of an image whose server states its size and then ends each transfer after 1 s. */
  brokenImage: string;
}

/** The environment of a client: a BMC, and an image on another server. */
export interface ClientStage extends PopulatedSandbox, ImageServer {
  close(): Promise<void>;
}

export async function startClientStage(): Promise<ClientStage> {
  const images = await startImageServer();
  const populated = await startPopulatedSandbox();
  return {
    ...populated,
    ...images,
    close: async () => {
      images.close();
      await populated.sandbox.close();
    },
  };
}

/** A server for images on loopback, for virtual media. */
export async function startImageServer(): Promise<ImageServer & { close(): void }> {
  const content = randomBytes(IMAGE_SIZE);
  const server = createServer((request, response) => {
    response.setHeader('Content-Length', content.length);
    if (request.method === 'HEAD') response.end();
    // Later than the answer to the insertion.
    else if (request.url === '/broken.iso') setTimeout(() => response.destroy(), 1000);
    else response.end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // address() returns null for a server that does not listen and a string for a pipe.
  const { port } = server.address() as AddressInfo;
  return {
    image: `http://127.0.0.1:${port}/boot.iso`,
    brokenImage: `http://127.0.0.1:${port}/broken.iso`,
    close: () => {
      server.close();
    },
  };
}
