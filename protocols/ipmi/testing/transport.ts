import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import type { IpmiServer } from '../ipmi-server.ts';
import type { Peer } from '../datagram.ts';

/** Exchanges datagrams between an IPMI client and a BMC. */
export interface ClientTransport {
  /** Sends a datagram and returns the first answer, or undefined. */
  exchange(datagram: Buffer): Promise<Buffer | undefined>;
  close(): void;
}

/** Calls a server in the same process, without a socket. */
export function directTransport(server: IpmiServer, peer: Peer, now: () => number): ClientTransport {
  return {
    exchange: async (datagram) => (await server.handle(datagram, peer, now()))[0],
    close: () => undefined,
  };
}

/** Sends to a server over UDP. @param timeout ms to wait for an answer */
export async function udpTransport(address: string, port: number, timeout: number): Promise<ClientTransport> {
  return socketTransport(await connectedSocket(address, port), timeout);
}

/** A UDP socket that sends to one address and receives only from it. */
export async function connectedSocket(address: string, port: number): Promise<Socket> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  socket.connect(port, address);
  await once(socket, 'connect');
  return socket;
}

/** Uses a connected socket. @param timeout ms to wait for an answer */
export function socketTransport(socket: Socket, timeout: number): ClientTransport {
  return {
    exchange: (datagram) => exchange(socket, datagram, timeout),
    close: () => {
      socket.close();
    },
  };
}

async function exchange(socket: Socket, datagram: Buffer, timeout: number): Promise<Buffer | undefined> {
  return await new Promise((resolve) => {
    const finish = (answer?: Buffer): void => {
      clearTimeout(timer);
      socket.off('message', finish);
      resolve(answer);
    };
    const timer = setTimeout(finish, timeout);
    socket.on('message', finish);
    socket.send(datagram);
  });
}
