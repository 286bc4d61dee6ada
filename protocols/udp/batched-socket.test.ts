import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BatchedSocket } from './batched-socket.ts';
import { NativeUdp, type Packet } from './native-udp.ts';

const native = NativeUdp.open();
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

it('these tests have native calls', () => {
  expect(native).toBeInstanceOf(NativeUdp);
});

describe.each([
  ['with native calls', native],
  ['with node:dgram', undefined],
])('BatchedSocket %s', (_how, udp) => {
  interface Served {
    socket: BatchedSocket;
    errors: Error[];
  }

  async function serve(onPacket: (packet: Packet, socket: BatchedSocket) => void): Promise<Served> {
    const errors: Error[] = [];
    const socket = await BatchedSocket.bind('127.0.0.1', 0, {
      native: udp,
      onPacket: (packet) => {
        onPacket(packet, socket);
      },
      onError: (error) => void errors.push(error),
    });
    closing.push(() => socket.close());
    return { socket, errors };
  }

  async function clientOf({ port }: BatchedSocket): Promise<{ client: Socket; heard: string[] }> {
    const client = createSocket('udp4');
    closing.push(() => client.close());
    const heard: string[] = [];
    client.on('message', (datagram) => heard.push(datagram.toString()));
    client.on('error', () => undefined);
    client.connect(port, '127.0.0.1');
    await once(client, 'connect');
    return { client, heard };
  }

  it('handles everything that has arrived before it answers any of it', async () => {
    const order: string[] = [];
    const { socket } = await serve(({ datagram, ...peer }, to) => {
      order.push(datagram.toString());
      to.send({ datagram: Buffer.from(`answer to ${order.length}`), ...peer });
    });
    const { client, heard } = await clientOf(socket);
    client.on('message', () => order.push('answer'));
    for (const text of ['a', 'b', 'c']) client.send(text);
    await expect.poll(() => heard).toEqual(['answer to 1', 'answer to 2', 'answer to 3']);
    expect(order).toEqual(['a', 'b', 'c', 'answer', 'answer', 'answer']);
  });

  it('answers a flood in order, and lets the event loop turn meanwhile', async () => {
    let handled = 0;
    const handledByTurn: number[] = [];
    const { socket } = await serve((packet, to) => {
      handled += 1;
      if (handled === 1) setImmediate(() => handledByTurn.push(handled));
      to.send(packet);
    });
    const { client, heard } = await clientOf(socket);
    const sent = Array.from({ length: 150 }, (_, i) => (i % 50 === 0 ? '' : String(i)));
    for (const text of sent) client.send(text);
    await expect.poll(() => heard.length).toBe(150);
    expect(heard).toEqual(sent);
    expect(handledByTurn[0]).toBeLessThanOrEqual(32);
  });

  it('keeps its port for itself', async () => {
    const { socket } = await serve(() => undefined);
    const thief = createSocket({ type: 'udp4', reuseAddr: true }).bind(socket.port, '127.0.0.1');
    closing.push(() => thief.close());
    expect(await once(thief, 'error')).toMatchObject([{ code: 'EADDRINUSE' }]);
  });

  it('sends what has no request', async () => {
    const peers: Packet[] = [];
    const { socket } = await serve((packet) => void peers.push(packet));
    const { client, heard } = await clientOf(socket);
    client.send('here I am');
    await expect.poll(() => peers).toHaveLength(1);
    for (const peer of peers) socket.send({ ...peer, datagram: Buffer.from('unasked') });
    await expect.poll(() => heard).toEqual(['unasked']);
  });

  it('sends long datagrams, and those behind them', async () => {
    const { socket, errors } = await serve(({ address, port }, to) => {
      for (const length of [1, 5_000, 2]) to.send({ datagram: Buffer.alloc(length), address, port });
    });
    const { client, heard } = await clientOf(socket);
    client.send('here I am');
    await expect.poll(() => heard.map((text) => text.length)).toEqual([1, 5_000, 2]);
    expect(errors).toEqual([]);
  });

  it.each([
    ['for an address that it must not send to', { address: '255.255.255.255' }, 'EACCES'],
    ['to port 0, where a forged one was from', { port: 0 }, 'ERR_SOCKET_BAD_PORT'],
  ])('reports a datagram %s, and sends the others', async (_which, change, code) => {
    const { socket, errors } = await serve((packet, to) => {
      to.send({ ...packet, ...change });
      to.send(packet);
    });
    const { client, heard } = await clientOf(socket);
    client.send('here I am');
    await expect.poll(() => heard).toEqual(['here I am']);
    await expect.poll(() => errors).toMatchObject([{ code }]);
  });

  it('handles and sends nothing after it is closed', async () => {
    const handled: string[] = [];
    const { socket, errors } = await serve((packet, to) => {
      handled.push(packet.datagram.toString());
      if (handled.length < 2) return;
      to.send(packet);
      closing.push(() => closed);
      const closed = to.close();
      to.send(packet);
    });
    const { client, heard } = await clientOf(socket);
    for (const text of ['first', 'last', 'too late']) client.send(text);
    await expect.poll(() => handled).toEqual(['first', 'last']);
    for (let turns = 0; turns < 5; turns += 1) await nextTurn();
    expect([handled, heard, errors]).toEqual([['first', 'last'], [], []]);
  });

  it('does not use its file descriptor after it is closed: another socket can have it', async () => {
    const { socket } = await serve(() => undefined);
    await socket.close();
    const handled: string[] = [];
    const other = await serve(({ datagram }) => void handled.push(datagram.toString()));
    const { client, heard } = await clientOf(other.socket);
    client.send('for the other');
    socket.poll();
    socket.send({ datagram: Buffer.from('from nobody'), address: '127.0.0.1', port: client.address().port });
    await expect.poll(() => handled).toEqual(['for the other']);
    for (let turns = 0; turns < 5; turns += 1) await nextTurn();
    expect(heard).toEqual([]);
  });

  it('says why it cannot bind', async () => {
    const { socket } = await serve(() => undefined);
    const options = { native: udp, onPacket: () => undefined, onError: () => undefined };
    await expect(BatchedSocket.bind('127.0.0.1', socket.port, options)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await expect(BatchedSocket.bind('192.0.2.1', 0, options)).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
  });
});

describe('BatchedSocket without the event loop', () => {
  const handled: string[] = [];
  let socket: BatchedSocket;
  let fd: bigint;
  let onPacket: (packet: Packet) => void;

  beforeEach(async () => {
    handled.length = 0;
    onPacket = (packet) => {
      handled.push(packet.datagram.toString());
      socket.send(packet);
    };
    socket = await BatchedSocket.bind('127.0.0.1', 0, {
      native,
      onPacket: (packet) => {
        onPacket(packet);
      },
      onError: () => undefined,
    });
    const bound = native?.bind('127.0.0.1', 0);
    if (bound === undefined) throw new Error('the system refuses a socket');
    fd = bound;
    const owner = createSocket('udp4').bind({ fd: Number(fd) });
    closing.push(
      () => socket.close(),
      () => owner.close(),
    );
  });

  function send(...texts: string[]): void {
    const to = { address: '127.0.0.1', port: socket.port };
    native?.send(
      fd,
      texts.map((text) => ({ datagram: Buffer.from(text), ...to })),
    );
  }

  function heard(): string[] {
    return (native?.receive(fd, 16) ?? []).map(({ datagram }) => datagram.toString());
  }

  it('answers a packet that it has waited for alone, and then those that have arrived together', () => {
    expect([socket.poll(), heard()]).toEqual([false, []]);
    send('first', 'second', 'third');
    expect([socket.poll(), heard()]).toEqual([true, ['first']]);
    const order: string[] = [];
    onPacket = (packet) => {
      order.push(...heard(), packet.datagram.toString());
      socket.send(packet);
    };
    expect([socket.poll(), heard(), order]).toEqual([true, ['second', 'third'], ['second', 'third']]);
    expect([socket.poll(), heard()]).toEqual([false, []]);
  });

  it('sends what has no request, when it looks for packets', () => {
    let peer: Packet | undefined;
    onPacket = (packet) => (peer = packet);
    send('here I am');
    socket.poll();
    if (peer !== undefined) socket.send({ ...peer, datagram: Buffer.from('unasked') });
    expect(heard()).toEqual([]);
    expect([socket.poll(), heard()]).toEqual([false, ['unasked']]);
  });

  it('sends the answers before a packet whose handling fails, and goes on', () => {
    send('first');
    socket.poll();
    heard();
    const answer = onPacket;
    onPacket = (packet) => {
      if (packet.datagram.toString() === 'bad') throw new Error('bad packet');
      answer(packet);
    };
    send('second', 'bad', 'lost');
    expect(() => socket.poll()).toThrow('bad packet');
    expect(heard()).toEqual(['second']);
    send('third');
    expect([socket.poll(), heard()]).toEqual([true, ['third']]);
  });

  it('handles and sends nothing after it is closed by a packet', () => {
    const answer = onPacket;
    onPacket = (packet) => {
      answer(packet);
      if (handled.length === 3)
        closing.push(
          (
            (closed) => () =>
              closed
          )(socket.close()),
        );
    };
    send('first', 'second', 'third', 'fourth');
    socket.poll();
    socket.poll();
    expect([handled, heard(), socket.poll()]).toEqual([['first', 'second', 'third'], ['first'], undefined]);
  });

  it('cannot tell without native calls, as on IPv6', async () => {
    const options = { onPacket: () => undefined, onError: () => undefined };
    const v6 = await BatchedSocket.bind('::1', 0, { native, ...options });
    const plain = await BatchedSocket.bind('127.0.0.1', 0, { native: undefined, ...options });
    closing.push(
      () => v6.close(),
      () => plain.close(),
    );
    expect([v6.poll(), plain.poll()]).toEqual([undefined, undefined]);
    expect([socket, v6, plain].map(({ isNative }) => isNative)).toEqual([true, false, false]);
  });
});
