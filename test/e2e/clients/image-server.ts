import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server for one image on loopback, for virtual media. */
export interface ImageServer {
  url: string;
  close(): void;
}

const SIZE = 1_000_000;

export async function startImageServer(): Promise<ImageServer> {
  const content = randomBytes(SIZE);
  const server = createServer((request, response) => {
    response.setHeader('Content-Length', content.length).end(request.method === 'HEAD' ? undefined : content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // address() returns null for a server that does not listen and a string for a pipe.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/boot.iso`, close: () => server.close() };
}
