import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Cache, ObjectRef } from '@groundcrew/controller-runtime';
import type { GuestRequest } from '@groundcrew/kubevirt-simulator/kubevirt';
import {
  guestAgentInfo,
  isPreserved,
  screenshot,
  ScreenSession,
  SerialSession,
  type GuestHost,
  type VirtualMachineInstance,
} from '@groundcrew/kubevirt-simulator/node';
import type { VirtHandlerIdentity } from './control-plane.ts';

export interface VirtHandlerOptions {
  /** Address of the virt-handler pod of the node. */
  address: string;
  identity: VirtHandlerIdentity;
  instances: Cache<VirtualMachineInstance>;
  guests: GuestHost;
  onRequest: (request: GuestRequest, ref: ObjectRef) => void;
}

const ROUTE = /^\/v1\/namespaces\/([^/]+)\/virtualmachineinstances\/([^/]+)\/([^?]+)/;
const REQUESTS: readonly GuestRequest[] = ['pause', 'unpause', 'softreboot', 'reset'];

/**
 * The server that virt-handler provides for virt-api on each node (`cmd/virt-handler/virt-handler.go`), with mutual
 * TLS.
 */
export class VirtHandlerServer {
  readonly #options: VirtHandlerOptions;
  readonly #server;
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    handleProtocols: (protocols) => (protocols.has('plain.kubevirt.io') ? 'plain.kubevirt.io' : false),
  });

  private constructor(options: VirtHandlerOptions) {
    this.#options = options;
    const { ca, certificate } = options.identity;
    this.#server = createServer({ ...certificate, ca, requestCert: true, rejectUnauthorized: true });
    this.#server.on('request', (request, response) => {
      this.#answer(request, response);
    });
    this.#server.on('upgrade', (request, socket, head) => {
      this.#upgrade(request, socket, head);
    });
  }

  static async start(options: VirtHandlerOptions): Promise<VirtHandlerServer> {
    const handler = new VirtHandlerServer(options);
    const { identity, address } = options;
    await once(handler.#server.listen(identity.port, address), 'listening');
    return handler;
  }

  /** Closes all connections, including consoles. */
  async close(): Promise<void> {
    for (const webSocket of this.#webSockets.clients) webSocket.terminate();
    this.#server.closeAllConnections();
    await once(this.#server.close(), 'close');
  }

  #find(url = ''): { vmi: VirtualMachineInstance; ref: ObjectRef; what: string } | undefined {
    const [, namespace, name, what] = ROUTE.exec(url) ?? [];
    if (namespace === undefined || name === undefined || what === undefined) return undefined;
    const ref = { namespace, name };
    const vmi = this.#options.instances.get(ref);
    return vmi === undefined ? undefined : { vmi, ref, what };
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    const found = this.#find(request.url);
    const asked = REQUESTS.find((name) => name === found?.what);
    if (found !== undefined && asked !== undefined && request.method === 'PUT') {
      this.#options.onRequest(asked, found.ref);
      response.writeHead(202).end();
      return;
    }
    if (found?.what === 'vnc/screenshot' && request.method === 'GET') {
      const picture = screenshot(this.#options.guests, found.vmi);
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': picture.length }).end(picture);
      return;
    }
    if (found?.what !== 'guestosinfo' || request.method !== 'GET') {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(guestAgentInfo(found.vmi)));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const found = this.#find(request.url);
    const { guests } = this.#options;
    if (found?.what !== 'console' && found?.what !== 'vnc') {
      refuse(socket, '404 Not Found');
      return;
    }
    const { searchParams } = new URL(request.url ?? '/', 'https://virt-handler');
    if (found.what === 'vnc' && isPreserved(searchParams) && guests.isWatched(found.vmi)) {
      refuse(socket, '503 Service Unavailable');
      return;
    }
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      if (found.what === 'vnc') new ScreenSession(webSocket, socket).start(guests, found.vmi);
      else new SerialSession(webSocket, socket).start((viewer) => guests.connect(found.vmi, viewer));
    });
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
}
