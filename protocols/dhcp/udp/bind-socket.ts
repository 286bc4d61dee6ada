import type { Socket, SocketOptions } from 'node:dgram';

/**
 * A bound UDP socket.
 *
 * @throws Error of `node:dgram`: `EADDRNOTAVAIL` if no interface has the address, `EADDRINUSE`, `EACCES`
 */
export async function bindSocket(options: Omit<SocketOptions, 'type'>, port: number, address: string): Promise<Socket> {
  // An ESM import would load every named built-in: 3 MB of an agent's memory.
  const socket = process.getBuiltinModule('node:dgram').createSocket({ ...options, type: 'udp4' });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(port, address, () => {
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
