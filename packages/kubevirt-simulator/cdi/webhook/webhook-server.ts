import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubeClient, Logger } from '@groundcrew/controller-runtime';
import { admit, type AdmissionReview } from './admit.ts';

/** The most that a request's body may be; an AdmissionReview holds two copies of an object of at most 1.5 MiB. */
const MAX_BODY = 4 * 1024 * 1024;

/** Where the API server sends DataVolumes to be looked at. */
export const VALIDATE_PATH = '/datavolume-validate';

export interface WebhookServerOptions {
  host: string;
  certificate: string;
  key: string;
  client: KubeClient;
  logger: Logger;
}

export interface WebhookServer {
  readonly port: number;
  close(): Promise<void>;
}

/** CDI's cdi-apiserver, the part that admits DataVolumes, over HTTPS. */
export async function startWebhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const { host, certificate, key, logger } = options;
  const server = createServer({ cert: certificate, key }, (request, response) => {
    answer(request, response, options).catch((error: unknown) => {
      logger.error({ err: error, url: request.url }, 'a review of a DataVolume failed');
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, host, resolve);
  });
  // The address of a TCP server is never a string.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { client }: WebhookServerOptions,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'https://cdi-api');
  if (pathname !== VALIDATE_PATH) {
    response.writeHead(404).end();
    return;
  }
  const review = JSON.parse(await readBody(request)) as AdmissionReview;
  const { apiVersion, kind } = review;
  const answered = { uid: review.request.uid, ...(await admit(review, client)) };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ apiVersion, kind, response: answered }));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    // An IncomingMessage without an encoding yields Buffers.
    const buffer = chunk as Buffer;
    size += buffer.length;
    if (size > MAX_BODY) throw new RangeError(`the body is longer than ${MAX_BODY} bytes`);
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
