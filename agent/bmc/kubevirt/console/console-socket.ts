import { CONSOLE_PROTOCOL, consolePath } from '../../../../api/index.ts';
import type { ObjectRef, TransportOptions } from '@groundcrew/controller-runtime';

/** Events of a connection to a console. */
export interface ConsoleSocketListener {
  received(data: Buffer): void;
  /** Some buffered bytes were sent. */
  written(): void;
  /** The last event. `isBroken`: the connection failed; otherwise the server closed it. */
  closed(isBroken: boolean): void;
}

/** A connection to the serial console or the screen of a running VM. */
export interface ConsoleSocket {
  send(data: Buffer): void;
  /** Bytes not yet sent. */
  readonly buffered: number;
  pause(): void;
  resume(): void;
  /** Closes it without a `closed` event. */
  close(): void;
}

/**
 * Opens a connection, paused until `resume`.
 *
 * @throws ApiError if refused, TransportError if the API server is unreachable
 */
export type OpenConsoleSocket = (
  vm: Required<ObjectRef>,
  subresource: 'console' | 'vnc',
  listener: ConsoleSocketListener,
) => Promise<ConsoleSocket>;

/** Opens consoles as WebSockets. The module is loaded on first use: most BMCs never need it. */
export function consoleSockets(access: TransportOptions): OpenConsoleSocket {
  return async ({ namespace, name }, subresource, listener) => {
    const { openWebSocket } = await import('@groundcrew/controller-runtime/websocket');
    const webSocket = await openWebSocket(access, consolePath(namespace, name, subresource), CONSOLE_PROTOCOL);
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
        // A paused socket does not receive the close frame.
        webSocket.resume();
        webSocket.close();
      },
    };
  };
}
