import { CONSOLE_PROTOCOL, consolePath } from '../../../api/index.ts';
import type { ObjectRef, TransportOptions } from '@groundcrew/controller-runtime';

/** What a connection to a serial console tells whoever opened it. */
export interface ConsoleSocketListener {
  received(data: Buffer): void;
  /** Some of what was sent has gone out. */
  written(): void;
  /** It is over, and tells nothing more. `isBroken`: the connection failed; else the other side has ended it. */
  closed(isBroken: boolean): void;
}

/** A connection to the serial console of a running VM. */
export interface ConsoleSocket {
  send(data: Buffer): void;
  /** Bytes that have not gone out yet. */
  readonly buffered: number;
  pause(): void;
  resume(): void;
  /** Ends it; `closed` is not told. */
  close(): void;
}

/** Opens one, which is paused until it is resumed. @throws ApiError where it is refused, TransportError where the API server cannot be reached */
export type OpenConsoleSocket = (vm: Required<ObjectRef>, listener: ConsoleSocketListener) => Promise<ConsoleSocket>;

/** Opens consoles as WebSockets. What that takes is loaded with the first: most BMCs never need it. */
export function consoleSockets(access: TransportOptions): OpenConsoleSocket {
  return async ({ namespace, name }, listener) => {
    const { openWebSocket } = await import('@groundcrew/controller-runtime/websocket');
    const webSocket = await openWebSocket(access, consolePath(namespace, name), CONSOLE_PROTOCOL);
    let isBroken = false;
    let isOurs = true;
    webSocket.on('message', (data) => {
      // The default binary type is a Buffer.
      if (isOurs) listener.received(data as Buffer);
    });
    webSocket.on('error', () => {
      isBroken = true;
    });
    webSocket.once('close', () => {
      if (isOurs) listener.closed(isBroken);
    });
    return {
      send: (data) => {
        webSocket.send(data, () => {
          if (isOurs) listener.written();
        });
      },
      get buffered() {
        return webSocket.bufferedAmount;
      },
      pause: () => {
        webSocket.pause();
      },
      resume: () => {
        webSocket.resume();
      },
      close: () => {
        isOurs = false;
        // A farewell is only heard by one who reads.
        webSocket.resume();
        webSocket.close();
      },
    };
  };
}
