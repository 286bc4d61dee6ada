import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Currently free ports on loopback; all ports of one call differ. */
export async function freePorts(count: number): Promise<number[]> {
  const first = await freePortRange(count);
  return Array.from({ length: count }, (_, index) => first + index);
}

/**
 * First of `count` consecutive ports that are free on loopback for UDP and TCP. They are below the ephemeral port
 * range, so that the kernel does not assign them in the meantime, and below the ports of BMCs in shared agents, which begin at 20000.
 */
export async function freePortRange(count: number): Promise<number> {
  for (let tries = 0; tries < 50; tries += 1) {
    const first = 10_000 + Math.floor(Math.random() * 9_000);
    const ports = Array.from({ length: count }, (_, index) => first + index);
    const free = await Promise.all(ports.flatMap((port) => [isUdpFree(port), isTcpFree(port)]));
    if (free.every(Boolean)) return first;
  }
  throw new Error(`no ${count} free ports in a row on 127.0.0.1`);
}

async function isUdpFree(port: number): Promise<boolean> {
  const socket = createSocket('udp4');
  try {
    socket.bind(port, '127.0.0.1');
    await once(socket, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    socket.close();
  }
}

async function isTcpFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
