import { STATUS_CODES, type IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { KubeClient, ObjectRef } from '@groundcrew/controller-runtime';
import { REFUSED, type Nodes } from '../kubevirt/nodes.ts';
import { VIRTUAL_MACHINE_INSTANCES, type VirtualMachineInstance } from '../kubevirt/objects.ts';
import { StatusError } from '../kubevirt/status-error.ts';
import type { GuestHost } from './guest-host.ts';
import { SerialSession } from './serial-session.ts';

/** KubeVirt's own (`client-go/subresources/constants.go`), for browsers, which must get one back when they ask for one. */
const PLAIN = 'plain.kubevirt.io';
/** Bytes of a message: KubeVirt sets no limit, but here a message is in memory as a whole. */
const MOST_MESSAGE = 16 * 1024 * 1024;
/** Milliseconds between signs of life on a silent connection: Go's default. */
const KEEP_ALIVE = 15_000;

export interface SerialConsoleOptions {
  client: KubeClient;
  guests: GuestHost;
  nodes: Pick<Nodes, 'isReachable'>;
}

/** `virtualmachineinstances/console`: WebSockets to the serial ports of guests. */
export class SerialConsole {
  readonly #options: SerialConsoleOptions;
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MOST_MESSAGE,
    handleProtocols: (protocols) => (protocols.has(PLAIN) ? PLAIN : false),
  });

  constructor(options: SerialConsoleOptions) {
    this.#options = options;
  }

  /** The instance, where it has a serial port to connect to (`virt-api/rest/console.go`); throws StatusError for a refusal. */
  async find(ref: ObjectRef): Promise<VirtualMachineInstance> {
    const vmi = await this.#options.client.find(VIRTUAL_MACHINE_INSTANCES, ref);
    if (vmi === undefined) throw StatusError.notFound('virtualmachineinstance', ref.name);
    if (vmi.spec.domain.devices?.autoattachSerialConsole === false)
      throw StatusError.badRequest('No serial consoles are present.');
    if (vmi.status?.phase === 'Failed')
      throw StatusError.conflict('virtualmachineinstance', ref.name, 'VMI is in failed status');
    if (vmi.status?.phase !== 'Running') throw StatusError.badRequest('VMI is not running');
    if (!this.#options.nodes.isReachable(vmi.status.nodeName)) throw StatusError.internal(REFUSED);
    return vmi;
  }

  /** Answers a request to change protocols: with a WebSocket, or with what `find` throws. */
  async upgrade(ref: ObjectRef, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    try {
      const vmi = await this.find(ref);
      if (socket instanceof Socket) socket.setKeepAlive(true, KEEP_ALIVE);
      this.#server.handleUpgrade(request, socket, head, (webSocket) => {
        new SerialSession(webSocket, socket).start((viewer) => this.#options.guests.connect(vmi, viewer));
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
