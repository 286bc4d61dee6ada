import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock, Logger } from '@groundcrew/controller-runtime';
import { refuseUpgrade } from '@groundcrew/controller-runtime/relay-upgrade';
import { SECURITY_HEADERS, type PageHandler } from '../../web/server/index.ts';
import { relayConsole } from './bmc-console.ts';
import { bmcPathOf, isConsole, isData, type BmcPath } from './bmc-paths.ts';
import { forward } from './bmc-proxy.ts';
import type { BmcWays } from './bmc-ways.ts';
import { streamChanges } from './event-stream.ts';
import type { FleetFeed } from './fleet-feed.ts';
import { checkHost, checkOrigin, cookieOf, readMember } from './request-checks.ts';
import { RequestError } from './request-error.ts';
import type { Session, Sessions } from './sessions.ts';

export interface WebServerOptions {
  sessions: Sessions;
  feed: FleetFeed;
  ways: BmcWays;
  /** Undefined: they were not built. */
  pages: { fleet: PageHandler | undefined; bmc: PageHandler | undefined };
  clock: Clock;
  logger: Logger;
}

const HOST = '127.0.0.1';
/** Bytes of the body that opens a session. */
const LONGEST = 1024;
/** More than a person has open in 16 browsers. */
const CONNECTIONS = 512;

/** The server of `groundcrew web`, on loopback only. */
export class WebServer {
  readonly #options: WebServerOptions;
  readonly #server: Server;
  /** Connections of consoles, which are no longer the HTTP server's. */
  readonly #consoles = new Set<Duplex>();

  constructor(options: WebServerOptions) {
    this.#options = options;
    this.#server = createServer({ requestTimeout: 60_000, headersTimeout: 20_000 });
    this.#server.maxConnections = CONNECTIONS;
    this.#server.on('request', (request, response) => {
      void this.#answer(request, response);
    });
    this.#server.on('upgrade', (request, socket, head) => {
      void this.#upgrade(request, socket, head);
    });
  }

  /**
   * @param port 0: any
   * @throws Error with code EADDRINUSE or EACCES
   */
  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, HOST, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
  }

  /** Of the listening server. */
  get port(): number {
    // address() returns a string only for a pipe.
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    for (const socket of this.#consoles) socket.destroy();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    try {
      checkHost(request, this.port);
      if (!isRead(request)) checkOrigin(request);
      await this.#route(request, response);
    } catch (error) {
      this.#refuse(request, response, error);
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '/' } = request;
    const [path = '/'] = url.split('?', 1);
    if (path === '/session') {
      await this.#session(request, response);
      return;
    }
    if (path === '/api/status' || path === '/api/changes') {
      const session = this.#sessionOf(request);
      if (request.method !== 'GET') throw new RequestError(405, 'Only GET is allowed here.');
      if (path === '/api/changes') streamChanges(response, this.#options.feed, session, this.#options.clock);
      else sendJson(response, 200, await this.#options.feed.overview());
      return;
    }
    const bmc = bmcPathOf(url);
    if (bmc === undefined) this.#page('fleet', request, response);
    else await this.#bmc(bmc, request, response);
  }

  async #session(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { sessions, logger } = this.#options;
    if (request.method === 'POST') {
      const token = sessions.open(await readMember(request, 'key', LONGEST));
      logger.info({ browser: sessions.find(token)?.id }, 'a browser has used a link');
      response.setHeader('Set-Cookie', `${this.#cookie}=${token}; HttpOnly; SameSite=Strict; Path=/`);
    } else if (request.method === 'DELETE') {
      const session = this.#sessionOf(request);
      sessions.end(this.#token(request) ?? '');
      logger.info({ browser: session.id }, 'a browser has logged out');
      response.setHeader('Set-Cookie', `${this.#cookie}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0`);
    } else throw new RequestError(405, 'Only POST and DELETE are allowed here.');
    response.setHeader('Cache-Control', 'no-store');
    response.writeHead(204).end();
  }

  /** The files of a BMC's page are ours, so that no script of a BMC runs beside this page; its data are the BMC's. */
  async #bmc({ ref, base, rest }: BmcPath, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (rest !== undefined && isData(rest)) {
      const session = this.#sessionOf(request);
      const way = await this.#options.ways.to(ref);
      await forward(request, response, { way, path: rest, base, session });
      return;
    }
    const isKnown = this.#options.sessions.find(this.#token(request)) !== undefined;
    if (rest === undefined || ((rest === '/' || rest.startsWith('/?')) && !isKnown)) {
      // Without a slash at its end the page would look for its files elsewhere; without a session it could not log in.
      response.writeHead(303, { Location: isKnown ? `${base}/` : '/', 'Cache-Control': 'no-store' }).end();
      return;
    }
    request.url = rest;
    this.#page('bmc', request, response);
  }

  #page(name: 'fleet' | 'bmc', request: IncomingMessage, response: ServerResponse): void {
    const handler = this.#options.pages[name];
    if (handler === undefined) throw new RequestError(503, 'The pages were not built: node scripts/build-web.ts');
    handler(request, response);
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    this.#consoles.add(socket);
    socket.once('close', () => this.#consoles.delete(socket));
    try {
      checkHost(request, this.port);
      checkOrigin(request);
      const bmc = bmcPathOf(request.url ?? '');
      const isAsked = request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket';
      if (!isAsked || bmc?.rest === undefined || !isConsole(bmc.rest))
        throw new RequestError(404, 'There is no such console.');
      const session = this.#sessionOf(request);
      const { ref, rest: path } = bmc;
      const way = await this.#options.ways.to(ref);
      this.#options.logger.info({ browser: session.id, bmc: `${ref.namespace}/${ref.name}`, path }, 'opens a console');
      await relayConsole(request, socket, { head, way, path, session });
    } catch (error) {
      const { status, message } = this.#told(request, error);
      refuseUpgrade(socket, status, message);
    }
  }

  /** @throws RequestError 401 */
  #sessionOf(request: IncomingMessage): Session {
    const session = this.#options.sessions.find(this.#token(request));
    if (session === undefined) throw new RequestError(401, 'Open the newest link that groundcrew web has printed.');
    return session;
  }

  #token(request: IncomingMessage): string | undefined {
    return cookieOf(request, this.#cookie);
  }

  /** Cookies are of a host, not of a port: several servers need several names. */
  get #cookie(): string {
    return `groundcrew-${this.port}`;
  }

  #refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const { status, message } = this.#told(request, error);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    // What was not read of a body must not be taken for another request.
    if (!request.complete) response.setHeader('Connection', 'close');
    sendJson(response, status, { error: message });
    request.resume();
  }

  #told(request: IncomingMessage, error: unknown): { status: number; message: string } {
    if (error instanceof RequestError) return error;
    this.#options.logger.error({ err: error, method: request.method }, 'a request failed');
    return { status: 500, message: 'The server has failed; its log says why.' };
  }
}

/** A request that changes nothing. */
function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  const text = `${JSON.stringify(body)}\n`;
  response.setHeader('Cache-Control', 'no-store');
  response.writeHead(status, {
    'Content-Type': 'application/json;charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}
