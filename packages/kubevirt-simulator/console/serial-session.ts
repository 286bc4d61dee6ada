import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { SerialPort } from './guest-host.ts';
import type { Viewer } from './resident.ts';

/** Bytes that may wait for a slow reader; what the guest writes beyond them is lost to it. */
const MOST_OUTPUT = 256 * 1024;
/** Bytes typed ahead of the guest beyond which no more is read from the client. */
const MOST_INPUT = 64 * 1024;
/** Bytes that the guest takes at a time: each may be answered with a hundred others. */
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
    // Text frames are passed over (client-go `binaryReader`).
    webSocket.on('message', (data, isBinary) => {
      if (isBinary && this.#port !== undefined) this.#take(data);
    });
    webSocket.on('close', () => {
      port.release();
    });
    // What broke the connection is of no interest to a serial port; `close` follows.
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
    // Read on, so that the other end's farewell is heard.
    this.#webSocket.resume();
    this.#socket.end();
  }

  #take(data: RawData): void {
    // The server's sockets have the binary type of a Buffer.
    this.#input = Buffer.concat([this.#input, data as Buffer]);
    if (this.#input.length > MOST_INPUT) this.#webSocket.pause();
    this.#pump();
  }

  /** Lets the guest take in what was typed, no faster than the client reads what that leads to. */
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
