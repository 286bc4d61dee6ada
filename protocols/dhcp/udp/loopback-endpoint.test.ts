import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import type { DhcpHandler, Origin } from '../server-contract.ts';
import type { BoundInputs } from './dhcp-socket.ts';
import { LoopbackEndpoint } from './loopback-endpoint.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(handle: DhcpHandler['handle']) {
  const errors: Error[] = [];
  const bound: BoundInputs[] = [];
  const endpoint = new LoopbackEndpoint({
    server: { handle },
    now: () => 42,
    onError: (error) => void errors.push(error),
    onBound: (inputs) => void bound.push(inputs),
    address: '127.0.0.1',
    port: 0,
  });
  closing.push(() => endpoint.close());
  await endpoint.start();
  return { endpoint, errors, bound };
}

async function client(): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 });
  closing.push(() => socket.close());
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

async function answer(socket: Socket): Promise<string> {
  const [datagram] = (await once(socket, 'message')) as [Buffer];
  return datagram.toString();
}

/** An answer that would be a broadcast on a real network. */
const reply = (text: string) => ({ datagram: Buffer.from(text), from: 1, to: 0xffffffff, port: 68 });

describe('LoopbackEndpoint', () => {
  it('answers to the source of the request, whatever the destination of the reply', async () => {
    const heard: { origin: Origin; now: number }[] = [];
    const { endpoint, errors } = await serve((datagram, origin, now) => {
      heard.push({ origin: { ...origin }, now });
      return reply(`re: ${Buffer.from(datagram).toString()}`);
    });
    const socket = await client();
    socket.send('hello', endpoint.port, '127.0.0.1');
    expect(await answer(socket)).toBe('re: hello');
    expect(heard).toEqual([{ origin: { address: 0x7f000001, port: socket.address().port }, now: 42 }]);
    expect(errors).toEqual([]);
  });

  it('reports its bound address and receive buffer', async () => {
    const { endpoint, bound } = await serve(() => undefined);
    expect(bound).toEqual([{ address: '127.0.0.1', port: endpoint.port, receiveBuffer: expect.any(Number) as number }]);
    expect(bound[0]?.receiveBuffer).toBeGreaterThanOrEqual(212_992);
  });

  it('reports an error of the server and continues', async () => {
    const fault = new Error('a bug');
    const { endpoint, errors } = await serve((datagram) => {
      if (datagram.length === 1) throw fault;
      // Non-Error values too.
      // oxlint-disable-next-line typescript/only-throw-error
      if (datagram.length === 2) throw 'text';
      return reply('fine');
    });
    const socket = await client();
    for (const text of ['1', '22', '333']) socket.send(text, endpoint.port, '127.0.0.1');
    expect(await answer(socket)).toBe('fine');
    expect(errors[0]).toBe(fault);
    expect(errors[1]?.cause).toBe('text');
  });

  it('sends each answer unchanged, although the server reuses one buffer', async () => {
    const shared = Buffer.alloc(300);
    const { endpoint, errors } = await serve((datagram) => {
      shared.fill(datagram[0] ?? 0);
      return { ...reply(''), datagram: shared };
    });
    const socket = await client();
    const answers: Buffer[] = [];
    socket.on('message', (datagram) => void answers.push(datagram));
    for (let index = 0; index < 200; index += 1) socket.send(Buffer.alloc(300, index), endpoint.port, '127.0.0.1');
    await expect.poll(() => answers.length, { timeout: 5_000 }).toBe(200);
    expect(answers.every((datagram) => datagram.equals(Buffer.alloc(300, datagram[0] ?? 0)))).toBe(true);
    expect(new Set(answers.map((datagram) => datagram[0])).size).toBe(200);
    expect(errors).toEqual([]);
  });

  it('reports a send error and continues', async () => {
    const { endpoint, errors } = await serve((datagram) =>
      datagram.length === 1 ? { ...reply(''), datagram: Buffer.alloc(70_000) } : reply('fine'),
    );
    const socket = await client();
    socket.send('1', endpoint.port, '127.0.0.1');
    socket.send('22', endpoint.port, '127.0.0.1');
    expect(await answer(socket)).toBe('fine');
    expect(errors).toMatchObject([{ code: 'EMSGSIZE' }]);
  });

  it('reports that the port is in use', async () => {
    const { endpoint } = await serve(() => undefined);
    const second = new LoopbackEndpoint({
      server: { handle: () => undefined },
      now: () => 0,
      onError: () => undefined,
      address: '127.0.0.1',
      port: endpoint.port,
    });
    await expect(second.start()).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
