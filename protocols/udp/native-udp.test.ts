import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NativeUdp, type Packet } from './native-udp.ts';

const udp = NativeUdp.open();
const sockets: Socket[] = [];
let fd: bigint;
let port: number;
/** Connected to it. It sends before `send` returns, and the kernel delivers before that. */
let client: Socket;

beforeEach(async () => {
  const bound = native().bind('127.0.0.1', 0);
  if (bound === undefined) throw new Error('the system refuses a socket');
  fd = bound;
  // It has a number for the port, and closes the socket in the end. A test reads everything before it has a turn.
  const owner = createSocket('udp4').bind({ fd: Number(fd) });
  port = owner.address().port;
  client = createSocket('udp4');
  sockets.push(owner, client);
  client.connect(port, '127.0.0.1');
  await once(client, 'connect');
});

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

function native(): NativeUdp {
  if (udp === undefined) throw new Error('this Node has no interface to C');
  return udp;
}

const texts = (packets: readonly Packet[]): string[] => packets.map(({ datagram }) => datagram.toString('latin1'));

function numbers(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `datagram ${i}`);
}

it('receives what has arrived, up to 16 datagrams at a time, with their source', () => {
  for (const text of numbers(20)) client.send(text);
  const first = native().receive(fd, 16);
  expect(texts([...first, ...native().receive(fd, 16)])).toEqual(numbers(20));
  expect(first).toHaveLength(16);
  expect(first[3]).toMatchObject({ address: '127.0.0.1', port: client.address().port });
  expect(native().receive(fd, 16)).toEqual([]);
});

it('receives one datagram if no more are wanted, and the others later', () => {
  for (const text of ['one', '', 'three']) client.send(text);
  const [one, ...others] = native().receive(fd, 1);
  expect(one).toMatchObject({ datagram: Buffer.from('one'), address: '127.0.0.1', port: client.address().port });
  expect(others).toEqual([]);
  expect(texts(native().receive(fd, 1))).toEqual(['']);
  expect(texts(native().receive(fd, 16))).toEqual(['three']);
  expect(native().receive(fd, 1)).toEqual([]);
});

it('does not change a datagram when it receives the next', () => {
  client.send('before');
  const packets = native().receive(fd, 16);
  client.send('behind');
  native().receive(fd, 16);
  expect(texts(packets)).toEqual(['before']);
});

it.each([1, 16] as const)('receives empty datagrams, and the first 2048 bytes of long ones, %i at a time', (most) => {
  const lengths = [0, 2048, 2049, 60_000, 1];
  for (const length of lengths) client.send(Buffer.alloc(length, 'x'));
  const received = lengths.flatMap(() => native().receive(fd, most));
  expect(received.map(({ datagram }) => datagram.length)).toEqual([0, 2048, 2048, 2048, 1]);
});

it('sends in order, any number and several peers', async () => {
  const other = createSocket('udp4').bind(0, '127.0.0.2');
  sockets.push(other);
  await once(other, 'listening');
  const heard: string[][] = [[], []];
  for (const [i, socket] of [client, other].entries()) {
    socket.on('message', (datagram, from) => {
      heard[i]?.push(`${datagram.toString()} from ${from.port}`);
    });
  }
  const to = [client, other].map((socket) => socket.address());
  const packets = numbers(40).map((text, i) => ({ datagram: Buffer.from(text), ...to[i % 2] }) as Packet);
  expect(native().send(fd, packets)).toBe(40);
  const wanted = numbers(40).map((text) => `${text} from ${port}`);
  await expect.poll(() => heard).toEqual([wanted.filter((_, i) => i % 2 === 0), wanted.filter((_, i) => i % 2 === 1)]);
});

it.each([
  ['too long', { datagram: Buffer.alloc(2049) }],
  ['for an address that it must not send to', { address: '255.255.255.255' }],
])('says how many it has sent before one that is %s', (_what, change) => {
  const { address, port: to } = client.address();
  const packet: Packet = { datagram: Buffer.from('x'), address, port: to };
  const packets = [...Array.from({ length: 17 }, () => packet), { ...packet, ...change }, packet];
  expect(native().send(fd, packets)).toBe(17);
});

it('does not bind a port that is used, or an address that no interface has', () => {
  expect(native().bind('127.0.0.1', port)).toBeUndefined();
  expect(native().bind('192.0.2.1', 0)).toBeUndefined();
});
