import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { issueServerCertificate } from '@groundcrew/controller-runtime/certificates';

/** A webhook request: the `request` of an AdmissionReview. */
export interface ReviewRequest extends Record<string, unknown> {
  uid: string;
  operation: string;
  name?: string;
  namespace?: string;
  object: Record<string, unknown> | null;
  oldObject: Record<string, unknown> | null;
}

/**
 * A webhook response: the `response` without its uid, which is added. Undefined: the handler has written the response.
 */
export type Answer = Record<string, unknown> | undefined;
export type Handler = (request: ReviewRequest, response: ServerResponse) => Answer | Promise<Answer>;

/** An HTTPS server for webhooks, one per path, that records the requests. */
export class WebhookServer {
  readonly port: number;
  /** Base64 of the CA that signed its certificate, which is valid for 127.0.0.1 and `*.svc` names. */
  readonly caBundle: string;
  readonly #server: Server;
  readonly #handlers = new Map<string, Handler>();
  readonly #reviews = new Map<string, ReviewRequest[]>();
  readonly #urls = new Map<string, string[]>();

  private constructor(server: Server, port: number, caBundle: string) {
    this.#server = server;
    this.port = port;
    this.caBundle = caBundle;
    server.on('request', (request, response) => {
      this.#handle(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  /** `names`: additional names in its certificate besides 127.0.0.1. */
  static async start(...names: string[]): Promise<WebhookServer> {
    const { ca, cert, key } = await issueServerCertificate({
      names: ['webhooks.test', ...names, '127.0.0.1'],
      now: Date.now(),
    });
    const server = createServer({ cert, key });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('a TCP server has a numeric address');
    return new WebhookServer(server, address.port, Buffer.from(ca).toString('base64'));
  }

  /** Adds a handler at a new path and returns the path. Default: allow all. */
  answer(handler: Handler = () => ({ allowed: true })): string {
    const path = `/${randomUUID()}`;
    this.#handlers.set(path, handler);
    this.#reviews.set(path, []);
    this.#urls.set(path, []);
    return path;
  }

  /** The requests at a path so far, without probes. */
  reviews(path: string): ReviewRequest[] {
    return this.#reviews.get(path) ?? [];
  }

  /** The requested paths with their queries. */
  urls(path: string): string[] {
    return this.#urls.get(path) ?? [];
  }

  clientConfig(path: string): { url: string; caBundle: string } {
    return { url: `https://127.0.0.1:${this.port}${path}`, caBundle: this.caBundle };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await once(this.#server.close(), 'close');
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ''] = (request.url ?? '').split('?');
    const review = JSON.parse(await text(request)) as {
      apiVersion: string;
      kind: string;
      request: ReviewRequest;
    };
    this.#reviews.get(path)?.push(review.request);
    this.#urls.get(path)?.push(request.url ?? '');
    const answer = await this.#handlers.get(path)?.(review.request, response);
    if (response.writableEnded || answer === undefined) return;
    const { apiVersion, kind } = review;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ apiVersion, kind, response: { uid: review.request.uid, ...answer } }));
  }
}

/** A response that allows the request with a JSON patch. */
export function patched(...operations: Record<string, unknown>[]): Answer {
  return {
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
  };
}
