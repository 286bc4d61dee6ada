import type { Socket, SocketOptions } from 'node:dgram';

export interface UdpSocketOptions extends Omit<SocketOptions, 'type' | 'ipv6Only' | 'lookup'> {
  /** Whether it sends only to numeric addresses. The default lookup delays each datagram by one turn of the event loop. */
  isNumeric?: boolean;
  /** File descriptor of a bound socket to use; address and port are then ignored. */
  fd?: number | undefined;
}

/**
 * A bound UDP socket.
 *
 * @param address IPv4 or IPv6, without zone
 * @throws Error of `node:dgram`: `EADDRNOTAVAIL` if no interface has the address, `EADDRINUSE`, `EACCES`
 */
export async function bindSocket(
  address: string,
  port: number,
  { isNumeric = false, fd, ...options }: UdpSocketOptions,
): Promise<Socket> {
  const family = address.includes(':') ? 6 : 4;
  const lookup: NonNullable<SocketOptions['lookup']> = (name, _options, found) => {
    found(null, name, family);
  };
  // An ESM import would load every named built-in: 3 MB of an agent's memory.
  const socket = process.getBuiltinModule('node:dgram').createSocket({
    ...options,
    type: `udp${family}`,
    ipv6Only: family === 6,
    ...(isNumeric ? { lookup } : {}),
  });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(fd === undefined ? { port, address } : { fd }, () => {
        socket.off('error', reject);
        resolve();
      });
    });
    return socket;
  } catch (error) {
    await closeSocket(socket);
    throw error;
  }
}

export async function closeSocket(socket: Socket): Promise<void> {
  await new Promise<void>((resolve) => {
    socket.close(() => {
      resolve();
    });
  });
}
