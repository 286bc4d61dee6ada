import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports of loopback that were free a moment ago; all of one call differ. */
export async function freePorts(count: number): Promise<number[]> {
  const first = await freePortRange(count);
  return Array.from({ length: count }, (_, index) => first + index);
}

/**
 * First of `count` ports in a row that are free on loopback, of UDP and of TCP. They are looked for below those that the kernel
 * gives away by itself, so that none is taken meanwhile.
 */
export async function freePortRange(count: number): Promise<number> {
  for (let tries = 0; tries < 50; tries += 1) {
    const first = 10_000 + Math.floor(Math.random() * 20_000);
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
