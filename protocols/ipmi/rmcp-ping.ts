import { isIPv6 } from 'node:net';
import { PacketError } from './packet-error.ts';
import { ASF_TYPE, decodeAsf, decodeRmcpClass, encodePresencePing, RMCP_CLASS } from './rmcp.ts';

/** Echoed in the pong. The value does not matter: the socket is connected and used for one ping. */
const TAG = 0x47;

/**
 * Checks whether a BMC answers at an address: RMCP Presence Ping, IPMI 2.0 §13.13. It needs no credentials.
 *
 * @param timeout ms
 * @returns whether the pong arrived in time; false if the address is unreachable
 */
export async function rmcpPing(address: string, port: number, timeout: number): Promise<boolean> {
  // An ESM import would load every named built-in: 3 MB of an agent's memory.
  const socket = process.getBuiltinModule('node:dgram').createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<boolean>((resolve) => {
      timer = setTimeout(() => {
        resolve(false);
      }, timeout);
      socket.on('error', () => {
        resolve(false);
      });
      socket.on('message', (datagram) => {
        if (isPong(datagram)) resolve(true);
      });
      socket.on('connect', () => {
        socket.send(encodePresencePing(TAG));
      });
      // Without a callback, a failure becomes the error event.
      socket.connect(port, address);
    });
  } finally {
    clearTimeout(timer);
    socket.close();
  }
}

function isPong(datagram: Buffer): boolean {
  try {
    if (decodeRmcpClass(datagram) !== RMCP_CLASS.asf) return false;
    const { type, tag } = decodeAsf(datagram);
    return type === ASF_TYPE.presencePong && tag === TAG;
  } catch (error) {
    if (error instanceof PacketError) return false;
    throw error;
  }
}
