/**
 * A program: many DHCP clients on one interface, all of them over one socket, since every socket on port 68 gets every
 * broadcast. Arguments: the first MAC address as a number, how many, and how many to start in a millisecond. Writes a
 * line of JSON for each client that is bound, and ends when all are.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { formatIpv4 } from '../../../../api/index.ts';
import { DhcpClient, type Step } from '../../../../protocols/dhcp/index.ts';

const SERVER_PORT = 67;
const CLIENT_PORT = 68;
/** Offset of chaddr in a datagram. */
const CHADDR = 28;

const [first = 0, count = 0, pace = 1] = process.argv.slice(2).map(Number);
const macs = Array.from({ length: count }, (_, index) => first + index);
const clients = new Map(
  macs.map((macAddress) => [macAddress, new DhcpClient({ identity: { macAddress }, random: Math.random })]),
);
const bound = new Set<number>();
const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 });
socket.bind(CLIENT_PORT, '0.0.0.0');
await once(socket, 'listening');
socket.setBroadcast(true);

const now = (): number => performance.now();

function take(macAddress: number, client: DhcpClient, { send }: Step): void {
  if (send !== undefined) {
    const to = send.to === 'broadcast' ? '255.255.255.255' : formatIpv4(send.to);
    socket.send(send.datagram, SERVER_PORT, to, (error) => {
      if (error) throw error;
    });
  }
  if (client.state !== 'Bound' || client.lease === undefined || bound.has(macAddress)) return;
  bound.add(macAddress);
  const { address, server } = client.lease;
  console.log(JSON.stringify({ macAddress, address: formatIpv4(address), server: formatIpv4(server) }));
}

socket.on('message', (datagram) => {
  const macAddress = datagram.length < CHADDR + 6 ? 0 : datagram.readUIntBE(CHADDR, 6);
  const client = clients.get(macAddress);
  if (client !== undefined) take(macAddress, client, client.receive(datagram, now()));
});

const waiting = [...clients];
const timer = setInterval(() => {
  for (const [macAddress, client] of waiting.splice(0, pace)) take(macAddress, client, client.start(now()));
  for (const [macAddress, client] of clients) {
    if (client.due !== undefined && client.due <= now() && !bound.has(macAddress)) {
      take(macAddress, client, client.tick(now()));
    }
  }
  if (bound.size < count) return;
  clearInterval(timer);
  socket.close();
}, 1);
