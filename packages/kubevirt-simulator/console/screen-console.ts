import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { VirtualMachineInstance } from '../kubevirt/objects.ts';
import { StatusError } from '../kubevirt/status-error.ts';
import { pictureOf, pngOf, RfbError, RfbServer } from '../screen/index.ts';
import type { GuestHost } from './guest-host.ts';
import { GuestSocket, type GuestSocketOptions } from './guest-socket.ts';
import type { ScreenPort, ScreenViewer } from './resident.ts';

/** `virtualmachineinstances/vnc`: WebSockets to the screens of guests. */
export function screenConsole(options: Pick<GuestSocketOptions, 'client' | 'nodes'>, guests: GuestHost): GuestSocket {
  return new GuestSocket({
    ...options,
    // More than a cut text.
    mostMessage: 2 * 1024 * 1024,
    refusal: screenRefusal,
    handlerRefusal: (vmi, query) =>
      isPreserved(query) && guests.isWatched(vmi)
        ? StatusError.internal("Can't connect to websocket (503): websocket: bad handshake")
        : undefined,
    open: (vmi, webSocket, socket) => {
      new ScreenSession(webSocket, socket).start(guests, vmi);
    },
  });
}

/** virt-api's refusal of the screen and of its screenshot (`virt-api/rest/vnc.go`). */
export function screenRefusal({ spec, status }: VirtualMachineInstance): StatusError | undefined {
  if (spec.domain.devices?.autoattachGraphicsDevice === false) {
    return StatusError.badRequest('No graphics devices are present.');
  }
  return status?.phase === 'Running' ? undefined : StatusError.badRequest('VMI is not running');
}

/** Whether a new client must not end the session of another (Go's `ParseBool`). */
export function isPreserved(query: URLSearchParams): boolean {
  return ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(query.get('preserveSession') ?? '');
}

/** The picture of a guest's screen as a PNG file. */
export function screenshot(guests: GuestHost, vmi: VirtualMachineInstance): Buffer {
  return pngOf(pictureOf(guests.screenOf(vmi)));
}

/** Bytes of a message, as those of virt-handler (Go's `io.Copy`). */
const PART = 32 * 1024;
/** Bytes that wait for a slow client, above which it gets no further picture. */
const MOST_OUTPUT = 64 * 1024;

/** One WebSocket on a guest's screen: RFB in binary frames. The connection is ended as that of a serial console. */
export class ScreenSession implements ScreenViewer {
  readonly #webSocket: WebSocket;
  readonly #socket: Duplex;
  #port: ScreenPort | undefined;
  #server: RfbServer | undefined;

  /** `socket`: the connection that the WebSocket is on. */
  constructor(webSocket: WebSocket, socket: Duplex) {
    this.#webSocket = webSocket;
    this.#socket = socket;
  }

  start(guests: GuestHost, vmi: VirtualMachineInstance): void {
    const { namespace = '', name } = vmi.metadata;
    const port = guests.watch(vmi, this);
    this.#port = port;
    const server = new RfbServer({
      screen: port.screen,
      name: `QEMU (${namespace}_${name})`,
      isBehind: () => this.#webSocket.bufferedAmount > MOST_OUTPUT,
      send: (bytes) => {
        this.#send(bytes);
      },
      onKey: (stroke) => {
        if (stroke === 'restart') port.pressControlAltDelete();
        else port.type(stroke.text);
      },
    });
    this.#server = server;
    // Text frames are ignored (client-go `binaryReader`).
    this.#webSocket.on('message', (data, isBinary) => {
      if (isBinary) this.#take(data);
    });
    this.#webSocket.on('close', () => {
      this.#server = undefined;
      port.release();
    });
    // The cause of a broken connection is not used; `close` follows.
    this.#webSocket.on('error', () => undefined);
    server.start();
  }

  changed(): void {
    this.#server?.changed();
  }

  end(): void {
    this.#server = undefined;
    // Continues to read, to receive the close of the other end.
    this.#webSocket.resume();
    this.#socket.end();
  }

  #take(data: RawData): void {
    try {
      // The server's sockets have the binary type of a Buffer.
      this.#server?.received(data as Buffer);
    } catch (error) {
      if (!(error instanceof RfbError)) throw error;
      this.#port?.release();
      this.end();
    }
  }

  #send(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += PART) {
      this.#webSocket.send(bytes.subarray(at, at + PART), () => this.#server?.written());
    }
  }
}
