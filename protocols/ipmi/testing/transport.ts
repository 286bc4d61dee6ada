import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import type { IpmiServer } from '../ipmi-server.ts';
import type { Peer } from '../peer.ts';

/** The way of datagrams from an IPMI client to a BMC and back. */
export interface ClientTransport {
  /** Sends one datagram and gives the first that comes back; undefined for silence. */
  exchange(datagram: Buffer): Promise<Buffer | undefined>;
  close(): void;
}

/** Talks to a server in the same process, without a socket. */
export function directTransport(server: IpmiServer, peer: Peer, now: () => number): ClientTransport {
  return {
    exchange: async (datagram) => (await server.handle(datagram, peer, now()))[0],
    close: () => undefined,
  };
}

/** Talks to a server over UDP. @param timeout ms after which silence counts as such */
export async function udpTransport(address: string, port: number, timeout: number): Promise<ClientTransport> {
  return socketTransport(await connectedSocket(address, port), timeout);
}

/** A UDP socket that sends to one address and hears from no other. */
export async function connectedSocket(address: string, port: number): Promise<Socket> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  socket.connect(port, address);
  await once(socket, 'connect');
  return socket;
}

/** Talks through a socket that is connected. @param timeout ms after which silence counts as such */
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
