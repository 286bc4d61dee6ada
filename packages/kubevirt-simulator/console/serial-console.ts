import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { VirtualMachineInstance } from '../kubevirt/objects.ts';
import { StatusError } from '../kubevirt/status-error.ts';
import type { GuestHost } from './guest-host.ts';
import { GuestSocket, type GuestSocketOptions } from './guest-socket.ts';
import type { SerialPort, Viewer } from './resident.ts';

/** `virtualmachineinstances/console`: WebSockets to the serial ports of guests (`virt-api/rest/console.go`). */
export function serialConsole(options: Pick<GuestSocketOptions, 'client' | 'nodes'>, guests: GuestHost): GuestSocket {
  return new GuestSocket({
    ...options,
    mostMessage: 16 * 1024 * 1024,
    refusal,
    open: (vmi, webSocket, socket) => {
      new SerialSession(webSocket, socket).start((viewer) => guests.connect(vmi, viewer));
    },
  });
}

function refusal({ metadata: { name }, spec, status }: VirtualMachineInstance): StatusError | undefined {
  if (spec.domain.devices?.autoattachSerialConsole === false) {
    return StatusError.badRequest('No serial consoles are present.');
  }
  if (status?.phase === 'Failed')
    return StatusError.conflict('virtualmachineinstance', name, 'VMI is in failed status');
  return status?.phase === 'Running' ? undefined : StatusError.badRequest('VMI is not running');
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
