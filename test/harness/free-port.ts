import type { Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { bindSocket } from '../../protocols/udp/udp-socket.ts';

const [FIRST, LAST] = [10_000, 19_000];
/** A loopback address that nothing else uses. The UDP port there is bound for as long as this process may use a port. */
const LOCKS = '127.255.0.1';

/** Currently free ports on loopback, which no other test process is given while this one runs; all ports of one call differ. */
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
    const first = FIRST + Math.floor(Math.random() * (LAST - FIRST - count));
    const ports = Array.from({ length: count }, (_, index) => first + index);
    const locks = await Promise.all(ports.map((port) => boundSocket(port, LOCKS)));
    const free = await Promise.all(ports.flatMap((port) => [isUdpFree(port), isTcpFree(port)]));
    if (locks.every((lock) => lock !== undefined) && free.every(Boolean)) return first;
    for (const lock of locks) lock?.close();
  }
  throw new Error(`no ${count} free ports in a row on 127.0.0.1`);
}

async function isUdpFree(port: number): Promise<boolean> {
  const socket = await boundSocket(port);
  socket?.close();
  return socket !== undefined;
}

/** Undefined if the port is in use. It does not keep the process running. */
async function boundSocket(port: number, address = '127.0.0.1'): Promise<Socket | undefined> {
  try {
    return (await bindSocket(address, port, {})).unref();
  } catch {
    return undefined;
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
