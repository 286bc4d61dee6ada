import type { Socket } from 'node:net';

/** What every TLS connection begins with: a record of a handshake (RFC 8446 §5.1). */
const HANDSHAKE = 0x16;

/**
 * Waits for the first byte of a connection, and puts it back.
 *
 * @param told whether TLS follows; not called where the connection ends before, or after `patience` ms, which ends it
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
