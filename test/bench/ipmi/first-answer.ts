import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** IPMI 1.5 Get Channel Authentication Capabilities (IPMI 2.0 §22.13), which needs no session: what clients send first. */
export const GET_CAPABILITIES = Buffer.from('0600ff07000000000000000000092018c88100388e04b5', 'hex');

/** Asks a BMC on 127.0.0.1 every 5 ms until an answer comes; the time when it came. Throws when aborted. */
export async function firstAnswer(port: number, signal: AbortSignal): Promise<number> {
  const socket = createSocket('udp4');
  // Refused while nothing listens: the next datagram may be answered.
  socket.on('error', () => undefined);
  const asking = setInterval(() => {
    socket.send(GET_CAPABILITIES, port, '127.0.0.1');
  }, 5);
  try {
    await once(socket, 'message', { signal });
    return performance.now();
  } finally {
    clearInterval(asking);
    socket.close();
  }
}
