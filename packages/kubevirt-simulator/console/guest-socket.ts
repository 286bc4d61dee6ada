import { STATUS_CODES, type IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { KubeClient, ObjectRef } from '@groundcrew/controller-runtime';
import { WebSocketServer, type WebSocket } from 'ws';
import { REFUSED, type Nodes } from '../kubevirt/nodes.ts';
import { VIRTUAL_MACHINE_INSTANCES, type VirtualMachineInstance } from '../kubevirt/objects.ts';
import { StatusError } from '../kubevirt/status-error.ts';

/** KubeVirt's subprotocol (`client-go/subresources/constants.go`), for browsers, which require an answer. */
const PLAIN = 'plain.kubevirt.io';
/** Milliseconds between TCP keep-alive probes: Go's default. */
const KEEP_ALIVE = 15_000;

export interface GuestSocketOptions {
  client: KubeClient;
  nodes: Pick<Nodes, 'isReachable'>;
  /** Maximum bytes of a message. KubeVirt has no limit, but here a complete message is in memory. */
  mostMessage: number;
  /** virt-api's refusal, from the instance alone. */
  refusal: (vmi: VirtualMachineInstance) => StatusError | undefined;
  /** What virt-handler refuses. */
  handlerRefusal?: (vmi: VirtualMachineInstance, query: URLSearchParams) => StatusError | undefined;
  /** `socket`: the connection that the WebSocket is on. */
  open: (vmi: VirtualMachineInstance, webSocket: WebSocket, socket: Duplex) => void;
}

/** A subresource of instances that is a WebSocket to a device of the guest. */
export class GuestSocket {
  readonly #options: GuestSocketOptions;
  readonly #server: WebSocketServer;

  constructor(options: GuestSocketOptions) {
    this.#options = options;
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: options.mostMessage,
      handleProtocols: (protocols) => (protocols.has(PLAIN) ? PLAIN : false),
    });
  }

  /** The instance, if it has the device and can be reached. @throws StatusError */
  async find(ref: ObjectRef, query = new URLSearchParams()): Promise<VirtualMachineInstance> {
    const { client, nodes, refusal, handlerRefusal } = this.#options;
    const vmi = await client.find(VIRTUAL_MACHINE_INSTANCES, ref);
    if (vmi === undefined) throw StatusError.notFound('virtualmachineinstance', ref.name);
    const refused = refusal(vmi);
    if (refused !== undefined) throw refused;
    if (!nodes.isReachable(vmi.status?.nodeName)) throw StatusError.internal(REFUSED);
    const refusedThere = handlerRefusal?.(vmi, query);
    if (refusedThere !== undefined) throw refusedThere;
    return vmi;
  }

  /** Answers a request for an upgrade with a WebSocket or an error. */
  async upgrade(ref: ObjectRef, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    try {
      const { searchParams } = new URL(request.url ?? '/', 'https://virt-api');
      const vmi = await this.find(ref, searchParams);
      if (socket instanceof Socket) socket.setKeepAlive(true, KEEP_ALIVE);
      this.#server.handleUpgrade(request, socket, head, (webSocket) => {
        this.#options.open(vmi, webSocket, socket);
      });
    } catch (error) {
      const { body } = error instanceof StatusError ? error : StatusError.internal(String(error));
      refuse(socket, body.code, JSON.stringify(body));
    }
  }
}

function refuse(socket: Duplex, status: number, body: string): void {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
