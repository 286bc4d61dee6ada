import type { IncomingMessage, RequestListener, Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { isIPv6, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import type { HttpsLimits } from './connections.ts';
import { refuse } from './refuse.ts';

/** Only ciphers with forward secrecy and AEAD; those of TLS 1.3 first. */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** DSP0266 §13.2: TLS 1.2 or above. */
export const TLS_OPTIONS = { minVersion: 'TLSv1.2', ciphers: CIPHERS } satisfies SecureContextOptions;

/** Clients of HTTP/1.0 name it too (`curl --http1.0`); a client without a common name cannot connect. */
const ALPNProtocols = ['http/1.1', 'http/1.0'];

/** Bytes, of node:tls. */
const TICKET_KEYS = 48;

export interface Servers {
  readonly https: HttpsServer;
  readonly http: HttpServer;
}

/** Of one endpoint. */
export interface ServerSettings {
  limits: HttpsLimits;
  /** PEM; absent: every TLS handshake fails. */
  certificate: { readonly key: string; readonly cert: string } | undefined;
  /** Of {@link newTicketKeys}. */
  ticketKeys: Buffer;
}

export interface ServerHandlers {
  /** A connection, after its TLS handshake. */
  onConnection: (socket: Socket) => void;
  onRequest: RequestListener;
  onClientError: (error: Error & { code?: string }, socket: Duplex) => void;
}

/** With the same keys, a client resumes at one server a TLS session that it began with another. */
export function newTicketKeys(): Buffer {
  return process.getBuiltinModule('node:crypto').randomBytes(TICKET_KEYS);
}

/** Servers that do not listen: they get connections by the event `connection`. */
export function makeServers({ limits, certificate, ticketKeys }: ServerSettings, handlers: ServerHandlers): Servers {
  const { headerBytes, handshake, headers, request, keepAlive, checks } = limits;
  const common = {
    maxHeaderSize: headerBytes,
    headersTimeout: headers,
    requestTimeout: request,
    keepAliveTimeout: keepAlive,
    connectionsCheckingInterval: checks,
    noDelay: true,
  };
  // A static ESM import would load these built-ins also in processes without Redfish.
  const { createServer: createHttpsServer } = process.getBuiltinModule('node:https');
  const { createServer: createHttpServer } = process.getBuiltinModule('node:http');
  const tls = { ...TLS_OPTIONS, ...certificate, ALPNProtocols, handshakeTimeout: handshake, ticketKeys };
  const https = createHttpsServer({ ...common, ...tls });
  const http = createHttpServer(common);
  https.on('secureConnection', handlers.onConnection);
  http.on('connection', handlers.onConnection);
  for (const server of [https, http]) {
    server.maxRequestsPerSocket = limits.requestsPerConnection;
    server.timeout = limits.silence;
    server.on('request', handlers.onRequest);
    server.on('clientError', handlers.onClientError);
    server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
      refuse(socket, 'HPE_INVALID_METHOD');
    });
    // This event starts their timeout checks.
    server.emit('listening');
  }
  return { https, http };
}

/** Listens for TCP connections. @throws Error of `node:net`, such as `EADDRINUSE` */
export async function listen(
  { host, port }: { host: string; port: number },
  onConnection: (socket: Socket) => void,
): Promise<Server> {
  const listener = process.getBuiltinModule('node:net').createServer(onConnection);
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen({ host, port, ipv6Only: isIPv6(host) }, () => {
      listener.off('error', reject);
      resolve();
    });
  });
  return listener;
}
