import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { HttpsLimits } from './connections.ts';
import {
  checkCertificate,
  freeContext,
  makeHttpServer,
  makeHttpsServer,
  newTicketKeys,
  type ServerHandlers,
  TLS_OPTIONS,
} from './servers.ts';

export interface RestingServersOptions {
  limits: HttpsLimits;
  handlers: ServerHandlers;
  /** Whether no connection is open. */
  isIdle: () => boolean;
}

/**
 * The servers that receive the connections of an endpoint, each made when it is needed and closed some time after its last connection. A
 * process with many BMCs has servers and TLS contexts only for those that have clients.
 */
export class RestingServers {
  readonly #options: RestingServersOptions;
  #certificate: { readonly key: string; readonly cert: string } | undefined;
  /** With them, a client resumes a TLS session that it began with other servers of this endpoint. */
  #ticketKeys: Buffer | undefined;
  #https: HttpsServer | undefined;
  #http: HttpServer | undefined;
  #rest: NodeJS.Timeout | undefined;

  constructor(options: RestingServersOptions) {
    this.#options = options;
  }

  /**
   * Uses this certificate for new connections; existing ones continue. Without a certificate every TLS handshake fails.
   *
   * @param certificate PEM: private key, and certificate with its intermediates
   * @throws Error of `node:tls` if they cannot be parsed or do not match; the previous certificate stays in use
   */
  setCertificate(certificate: { readonly key: string; readonly cert: string }): void {
    if (this.#https === undefined) checkCertificate(certificate);
    else this.#https.setSecureContext({ ...TLS_OPTIONS, ...certificate });
    this.#certificate = certificate;
  }

  /** Gives a new connection to the TLS server. */
  serveTls(socket: Socket): void {
    clearTimeout(this.#rest);
    this.#https ??= this.#makeHttps(this.#certificate);
    this.#https.emit('connection', socket);
  }

  /** Gives a new connection to the server of plain HTTP. */
  servePlain(socket: Socket): void {
    clearTimeout(this.#rest);
    const { limits, handlers } = this.#options;
    this.#http ??= makeHttpServer(limits, handlers);
    this.#http.emit('connection', socket);
  }

  /** No connection is open: closes the servers unless one comes soon. */
  restLater(): void {
    const { limits, isIdle } = this.#options;
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      if (isIdle()) this.close();
    }, limits.rest);
    this.#rest.unref();
  }

  /** Closes the servers; a later connection makes them again. */
  close(): void {
    clearTimeout(this.#rest);
    if (this.#https !== undefined) {
      this.#https.close();
      freeContext(this.#https);
    }
    this.#http?.close();
    this.#https = undefined;
    this.#http = undefined;
  }

  /** @throws Error of `node:tls` */
  #makeHttps(certificate: { readonly key: string; readonly cert: string } | undefined): HttpsServer {
    const { limits, handlers } = this.#options;
    this.#ticketKeys ??= newTicketKeys();
    return makeHttpsServer({ certificate, ticketKeys: this.#ticketKeys }, limits, handlers);
  }
}
