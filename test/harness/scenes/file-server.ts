import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll } from 'vitest';
import { issueServerCertificate } from '@groundcrew/controller-runtime/certificates';

/** Handler of a specific path; all other paths serve the image. */
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface FileServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** PEM of the CA that signed the server's certificate; undefined: plain HTTP. */
  readonly ca: string | undefined;
  /** `GET /path` of all requests so far. */
  readonly requests: string[];
  /** Number of open connections. */
  connections(): number;
}

/** Serves one image under every path without a handler; stops at the end of the test file. */
export async function startFileServer(
  image: Buffer,
  handlers: Record<string, Handler> = {},
  tls?: { address?: string },
): Promise<FileServer> {
  const requests: string[] = [];
  const listener: RequestListener = (request, response) => {
    const path = request.url ?? '/';
    requests.push(`${request.method ?? ''} ${path}`);
    const handler = handlers[path];
    if (handler !== undefined) handler(request, response);
    else response.writeHead(200, { 'content-length': image.length }).end(request.method === 'HEAD' ? undefined : image);
  };
  const certificate =
    tls === undefined
      ? undefined
      : await issueServerCertificate({
          names: ['files.example', tls.address ?? '127.0.0.1'],
          now: Date.now(),
        });
  const server =
    certificate === undefined
      ? createServer(listener)
      : createTlsServer({ cert: certificate.cert, key: certificate.key }, listener);
  let open = 0;
  server.on('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo; // The address of a TCP server is never a string.
  return {
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    ca: certificate?.ca,
    requests,
    connections: () => open,
  };
}
