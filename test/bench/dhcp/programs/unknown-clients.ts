/**
 * A program that sends DISCOVERs of unknown clients, each of another one, and prints their number. Arguments: the rate
 * per second, and the duration in ms.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { SITE } from '../addresses.ts';
import { AT, template } from './packets.ts';

const SERVER_PORT = 67;
/** Locally administered; no lease has such an address. */
const FIRST_MAC = 0x02ff00_000000;

const [rate = 0, duration = 0] = process.argv.slice(2).map(Number);
const socket = createSocket('udp4');
socket.on('error', () => undefined);
socket.bind(0, SITE.relay);
await once(socket, 'listening');
socket.connect(SERVER_PORT, SITE.server);
await once(socket, 'connect');
const datagram = template('discover');
const started = performance.now();
let sent = 0;
const timer = setInterval(() => {
  const elapsed = performance.now() - started;
  const due = Math.floor((Math.min(elapsed, duration) / 1000) * rate);
  for (; sent < due; sent += 1) {
    datagram.writeUInt32BE(sent, AT.xid);
    datagram.writeUIntBE(FIRST_MAC + sent, AT.chaddr, 6);
    socket.send(datagram);
  }
  if (elapsed < duration) return;
  clearInterval(timer);
  socket.close();
  process.stdout.write(`${JSON.stringify({ sent })}\n`);
}, 1);
