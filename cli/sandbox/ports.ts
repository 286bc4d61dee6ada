import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port for the sandbox is in use or not permitted. */
export class PortError extends Error {
  override readonly name = 'PortError';
  readonly code = 'PortBusy';
}

/** The error message for a port on 127.0.0.1 that cannot be bound. */
export function busyPort(protocol: string, port: number, option: string, why = 'is in use by another program'): string {
  return `${protocol.toUpperCase()} port 127.0.0.1:${port} ${why}. Choose another with ${option}, or stop that program.`;
}

/**
 * Checks that a port on 127.0.0.1 can be bound.
 *
 * @param option the command's option that selects the port, named in the error
 * @throws PortError
 */
export async function checkPort(protocol: 'udp' | 'tcp', port: number, option: string): Promise<void> {
  try {
    await (protocol === 'udp' ? tryUdp(port) : tryTcp(port));
  } catch (cause) {
    const isBusy = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
    throw new PortError(busyPort(protocol, port, option, isBusy ? undefined : String(cause)), { cause });
  }
}

async function tryUdp(port: number): Promise<void> {
  const socket = createSocket('udp4');
  try {
    socket.bind(port, '127.0.0.1');
    await once(socket, 'listening');
  } finally {
    socket.close();
  }
}

async function tryTcp(port: number): Promise<void> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } finally {
    server.close();
  }
}
