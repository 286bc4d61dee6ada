/**
 * A program that makes DHCP exchanges as a relay agent, as many at a time as it is told, and prints what came of them
 * as JSON. Argument: a {@link GeneratorTask} as JSON.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { SITE } from '../addresses.ts';
import { Exchanges, type ExchangesResult } from './exchanges.ts';
import type { GeneratorReport, GeneratorTask } from './generator-task.ts';

const RELAY_PORT = 67;
const RECEIVE_BUFFER = 4 * 1024 * 1024;

// The program's own caller.
const task = JSON.parse(process.argv[2] ?? '') as GeneratorTask;
const socket = createSocket({ type: 'udp4', recvBufferSize: RECEIVE_BUFFER });
socket.on('error', () => undefined);
socket.bind(RELAY_PORT, SITE.relay);
await once(socket, 'listening');
socket.connect(RELAY_PORT, SITE.server);
await once(socket, 'connect');
const result = await new Exchanges(socket, task).run();
socket.close();
process.stdout.write(`${JSON.stringify(report(result))}\n`);

function report({ times, ...rest }: ExchangesResult): GeneratorReport {
  const sorted = times.toSorted();
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return { ...rest, p50: at(0.5), p99: at(0.99), max: at(1) };
}
