/**
 * A program that performs DHCP exchanges as a relay agent and prints a {@link GeneratorReport} as JSON. Argument: a
 * {@link GeneratorTask} as JSON.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { SITE } from '../addresses.ts';
import { Exchanges, type ExchangesResult } from './exchanges.ts';

export interface GeneratorTask {
  /** Number of concurrent exchanges; fewer than 4,096. */
  inFlight: number;
  /** The program ends after this number of exchanges, or after `duration` ms. */
  most: number;
  duration: number;
}

/** Times in ms. */
export interface GeneratorReport extends Omit<ExchangesResult, 'times'> {
  p50: number;
  p99: number;
  max: number;
}

const RELAY_PORT = 67;
const RECEIVE_BUFFER = 4 * 1024 * 1024;

// Written by `BenchNetwork.exchange`.
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
