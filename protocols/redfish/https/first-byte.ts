import type { Socket } from 'node:net';

/** First byte of every TLS connection: a handshake record (RFC 8446 §5.1). */
const HANDSHAKE = 0x16;

/**
 * Reads the first byte of a connection and puts it back.
 *
 * @param told called with whether TLS follows; not called if the connection ends before, or after `patience` ms, which closes it
 */
export function sniff(socket: Socket, patience: number, told: (isTls: boolean) => void): void {
  const timer = setTimeout(() => socket.destroy(), patience);
  const look = (): void => {
    const chunk = socket.read() as Buffer | null;
    const first = chunk?.[0];
    if (chunk === null || first === undefined) {
      socket.once('readable', look);
      return;
    }
    clearTimeout(timer);
    socket.unshift(chunk);
    told(first === HANDSHAKE);
  };
  socket.once('readable', look);
  socket.once('close', () => {
    clearTimeout(timer);
  });
}
