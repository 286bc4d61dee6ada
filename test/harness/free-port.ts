import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** TCP ports of loopback that were free a moment ago; all of one call differ. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('a TCP server has a numeric address');
    return address.port;
  });
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

/**
 * First of `count` UDP ports in a row that are free on loopback. They are looked for below those that the kernel
 * gives away by itself, so that none is taken meanwhile.
 */
export async function freeUdpRange(count: number): Promise<number> {
  for (let tries = 0; tries < 50; tries += 1) {
    const first = 10_000 + Math.floor(Math.random() * 20_000);
    const sockets = await Promise.all(Array.from({ length: count }, (_, index) => tryBind(first + index)));
    for (const socket of sockets) socket?.close();
    if (sockets.every((socket) => socket !== undefined)) return first;
  }
  throw new Error(`no ${count} free UDP ports in a row on 127.0.0.1`);
}

async function tryBind(port: number): Promise<Socket | undefined> {
  const socket = createSocket('udp4');
  try {
    socket.bind(port, '127.0.0.1');
    await once(socket, 'listening');
    return socket;
  } catch {
    return undefined;
  }
}
