import type { IncomingMessage, RequestListener, Server as HttpServer, ServerOptions } from 'node:http';
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

/** Of the TLS server of an endpoint. */
export interface TlsSettings {
  /** PEM; absent: every TLS handshake fails. */
  certificate: { readonly key: string; readonly cert: string } | undefined;
  /** Of {@link newTicketKeys}. */
  ticketKeys: Buffer;
}

export interface ServerHandlers {
  /** A connection, after its TLS handshake. */
  onConnection: (socket: Socket) => void;
  onRequest: RequestListener;
  /** Whether a request with `Upgrade` is given to `onUpgrade`; the others are ordinary requests. */
  acceptsUpgrade: (request: IncomingMessage) => boolean;
  onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  onClientError: (error: Error & { code?: string }, socket: Duplex) => void;
}

/** With the same keys, a client resumes at one server a TLS session that it began with another. */
export function newTicketKeys(): Buffer {
  return process.getBuiltinModule('node:crypto').randomBytes(TICKET_KEYS);
}

/**
 * A server that does not listen: it gets connections by the event `connection`.
 *
 * @throws Error of `node:tls` if the certificate and the key cannot be parsed or do not match
 */
export function makeHttpsServer(
  { certificate, ticketKeys }: TlsSettings,
  limits: HttpsLimits,
  handlers: ServerHandlers,
): HttpsServer {
  // A static ESM import would load this built-in also in processes without Redfish.
  const { createServer } = process.getBuiltinModule('node:https');
  const tls = { ...TLS_OPTIONS, ...certificate, ALPNProtocols, handshakeTimeout: limits.handshake, ticketKeys };
  const server = createServer({ ...httpOptions(limits, handlers), ...tls });
  server.on('secureConnection', handlers.onConnection);
  return attached(server, limits, handlers);
}

/** @throws Error of `node:tls` if the certificate and the key, in PEM, cannot be parsed or do not match */
export function checkCertificate(certificate: { readonly key: string; readonly cert: string }): void {
  free(process.getBuiltinModule('node:tls').createSecureContext({ ...TLS_OPTIONS, ...certificate }));
}

/** Frees the TLS context of a server that gets no more connections. */
export function freeContext(server: HttpsServer): void {
  free((server as { _sharedCreds?: FreeableContext })._sharedCreds);
}

interface FreeableContext {
  context?: { close?: () => void };
}

/**
 * Frees 20 kB, which V8 does not see, so that it would not collect them soon. Node has no public function for it; `node:tls` does the
 * same with contexts of a single connection.
 */
function free(tls: FreeableContext | undefined): void {
  tls?.context?.close?.();
}

/** Like {@link makeHttpsServer}, without TLS. */
export function makeHttpServer(limits: HttpsLimits, handlers: ServerHandlers): HttpServer {
  const server = process.getBuiltinModule('node:http').createServer(httpOptions(limits, handlers));
  server.on('connection', handlers.onConnection);
  return attached(server, limits, handlers);
}

function httpOptions(
  { headerBytes, headers, request, keepAlive, checks }: HttpsLimits,
  { acceptsUpgrade }: ServerHandlers,
): ServerOptions {
  return {
    maxHeaderSize: headerBytes,
    headersTimeout: headers,
    requestTimeout: request,
    keepAliveTimeout: keepAlive,
    connectionsCheckingInterval: checks,
    noDelay: true,
    shouldUpgradeCallback: acceptsUpgrade,
  };
}

function attached<S extends HttpServer | HttpsServer>(server: S, limits: HttpsLimits, handlers: ServerHandlers): S {
  server.maxRequestsPerSocket = limits.requestsPerConnection;
  server.timeout = limits.silence;
  server.on('request', handlers.onRequest);
  server.on('upgrade', handlers.onUpgrade);
  server.on('clientError', handlers.onClientError);
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    refuse(socket, 'HPE_INVALID_METHOD');
  });
  // This event starts its timeout checks.
  server.emit('listening');
  return server;
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
