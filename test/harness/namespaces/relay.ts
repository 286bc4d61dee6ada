/**
 * A program that forwards connections. Arguments: pairs of listen address and target address. Prints `ready` when it
 * listens on all of them. Ends with its namespace.
 */
import { once } from 'node:events';
import type { Server } from 'node:net';
import { passOn } from './pass-on.ts';

const addresses = process.argv.slice(2);
const servers: Server[] = [];
for (let index = 0; index + 1 < addresses.length; index += 2) {
  servers.push(passOn(addresses[index] ?? '', addresses[index + 1] ?? ''));
}
await Promise.all(servers.map((server) => once(server, 'listening')));
console.log('ready');
