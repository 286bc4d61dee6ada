import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port that the sandbox was told to use is taken or may not be used. */
export class PortError extends Error {
  override readonly name = 'PortError';
  readonly code = 'PortBusy';
}

/**
 * Checks that a port of 127.0.0.1 can be bound.
 *
 * @param option the command's option that chooses another, named in the error
 * @throws PortError
 */
export async function checkPort(protocol: 'udp' | 'tcp', port: number, option: string): Promise<void> {
  try {
    await (protocol === 'udp' ? tryUdp(port) : tryTcp(port));
  } catch (cause) {
    const why =
      cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE'
        ? 'is in use by another program'
        : String(cause);
    throw new PortError(
      `${protocol.toUpperCase()} port 127.0.0.1:${port} ${why}. Choose another with ${option}, or stop that program.`,
      {
        cause,
      },
    );
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
