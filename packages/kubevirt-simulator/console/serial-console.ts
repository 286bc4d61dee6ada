import { STATUS_CODES, type IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { KubeClient, ObjectRef } from '@groundcrew/controller-runtime';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { REFUSED, type Nodes } from '../kubevirt/nodes.ts';
import { VIRTUAL_MACHINE_INSTANCES, type VirtualMachineInstance } from '../kubevirt/objects.ts';
import { StatusError } from '../kubevirt/status-error.ts';
import type { GuestHost, SerialPort, Viewer } from './guest-host.ts';

/** KubeVirt's subprotocol (`client-go/subresources/constants.go`), for browsers, which require an answer. */
const PLAIN = 'plain.kubevirt.io';
/** Maximum bytes of a message. KubeVirt has no limit, but here a complete message is in memory. */
const MOST_MESSAGE = 16 * 1024 * 1024;
/** Milliseconds between TCP keep-alive probes: Go's default. */
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

  /** The instance, if it has a serial port (`virt-api/rest/console.go`). @throws StatusError */
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

  /** Answers a request for an upgrade with a WebSocket or an error. */
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

/** Maximum bytes that wait for a slow reader; further output is lost. */
const MOST_OUTPUT = 256 * 1024;
/** Bytes of input that wait for the guest; above this, nothing more is read from the client. */
const MOST_INPUT = 64 * 1024;
/** Bytes of one input to the guest: each byte may cause a hundred bytes of output. */
const SLICE = 256;

/**
 * One WebSocket on a serial port: raw bytes in binary frames, both ways. It is not closed with a frame but by ending
 * the connection, as virt-handler does, which clients see as an abnormal closure (1006).
 */
export class SerialSession implements Viewer {
  readonly #webSocket: WebSocket;
  readonly #socket: Duplex;
  #port: SerialPort | undefined;
  #input = Buffer.alloc(0);
  #isAnswering = false;

  /** `socket`: the connection that the WebSocket is on. */
  constructor(webSocket: WebSocket, socket: Duplex) {
    this.#webSocket = webSocket;
    this.#socket = socket;
  }

  start(connect: (viewer: Viewer) => SerialPort): void {
    const webSocket = this.#webSocket;
    const port = connect(this);
    this.#port = port;
    // Text frames are ignored (client-go `binaryReader`).
    webSocket.on('message', (data, isBinary) => {
      if (isBinary && this.#port !== undefined) this.#take(data);
    });
    webSocket.on('close', () => {
      port.release();
    });
    // The cause of a broken connection is not used; `close` follows.
    webSocket.on('error', () => undefined);
  }

  show(text: string): void {
    if (this.#webSocket.bufferedAmount < MOST_OUTPUT) this.#webSocket.send(Buffer.from(text, 'latin1'));
  }

  resume(): void {
    this.#pump();
  }

  end(): void {
    this.#port = undefined;
    this.#input = Buffer.alloc(0);
    // Continues to read, to receive the close of the other end.
    this.#webSocket.resume();
    this.#socket.end();
  }

  #take(data: RawData): void {
    // The server's sockets have the binary type of a Buffer.
    this.#input = Buffer.concat([this.#input, data as Buffer]);
    if (this.#input.length > MOST_INPUT) this.#webSocket.pause();
    this.#pump();
  }

  /** Passes input to the guest, no faster than the client reads the output. */
  #pump(): void {
    while (this.#port?.isPaused === false && this.#input.length > 0 && !this.#isAnswering) {
      const slice = this.#input.subarray(0, SLICE);
      this.#input = this.#input.subarray(SLICE);
      const text = this.#port.type(slice.toString('latin1'));
      if (text !== '') this.#answer(text);
    }
    if (this.#input.length <= MOST_INPUT && this.#webSocket.isPaused) this.#webSocket.resume();
  }

  #answer(text: string): void {
    this.#isAnswering = true;
    this.#webSocket.send(Buffer.from(text, 'latin1'), () => {
      this.#isAnswering = false;
      this.#pump();
    });
  }
}
