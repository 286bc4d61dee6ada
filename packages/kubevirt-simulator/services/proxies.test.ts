import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '@groundcrew/controller-runtime';
import { FakeClock, silentLogger } from '@groundcrew/controller-runtime/testing';
import type { Endpoint } from './service-ports.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { UdpProxy } from './udp-proxy.ts';

/** A port that the operating system chooses. */
const ANY = { address: '127.0.0.1', port: 0 };
const closing: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function udpEcho(tag: string): Promise<Endpoint> {
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    socket.send(`${tag}:${message.toString()}`, from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  closing.push(() => {
    socket.close();
  });
  return { address: '127.0.0.1', port: socket.address().port };
}

class UdpClient {
  readonly #socket: Socket = createSocket('udp4');
  readonly #port: number;

  constructor(port: number, address = '127.0.0.1') {
    this.#port = port;
    this.#socket.bind({ address });
    closing.push(() => {
      this.#socket.close();
    });
  }

  send(text: string): void {
    this.#socket.send(text, this.#port, '127.0.0.1');
  }

  /** Sends a text and resolves with the first answer. */
  async ask(text: string): Promise<string> {
    const answer = new Promise<string>((resolve) =>
      this.#socket.once('message', (message) => {
        resolve(message.toString());
      }),
    );
    this.send(text);
    return await answer;
  }
}

async function openUdp(clock = systemClock, logger = silentLogger): Promise<{ proxy: UdpProxy; port: number }> {
  const proxy = await UdpProxy.open(ANY, clock, logger);
  closing.push(() => proxy.close());
  return { proxy, port: proxy.address.port };
}

describe('a UDP port of a Service', () => {
  it('sends the datagrams of a client to one backend', async () => {
    const { proxy, port } = await openUdp();
    proxy.setBackends([await udpEcho('a'), await udpEcho('b')]);
    const client = new UdpClient(port);
    const first = (await client.ask('1')).slice(0, 1);
    expect(['a', 'b']).toContain(first);
    expect([await client.ask('2'), await client.ask('3')]).toEqual([`${first}:2`, `${first}:3`]);
    expect(proxy.flows).toBe(1);
  });

  it('distributes clients over the backends', async () => {
    const { proxy, port } = await openUdp();
    proxy.setBackends([await udpEcho('a'), await udpEcho('b')]);
    const answers = [await new UdpClient(port).ask('1'), await new UdpClient(port).ask('1')];
    expect(answers.sort()).toEqual(['a:1', 'b:1']);
  });

  it('keeps the address of a client of 127.0.0.0/8, so that pods can tell clients apart', async () => {
    const { proxy, port } = await openUdp();
    const backend = createSocket('udp4');
    backend.on('message', (_message, from) => {
      backend.send(from.address, from.port, from.address);
    });
    await new Promise<void>((resolve) => backend.bind(0, '127.0.0.1', resolve));
    closing.push(() => {
      backend.close();
    });
    proxy.setBackends([{ address: '127.0.0.1', port: backend.address().port }]);
    expect(await new UdpClient(port).ask('1')).toBe('127.0.0.1');
    expect(await new UdpClient(port, '127.0.0.44').ask('1')).toBe('127.0.0.44');
  });

  it('moves a client when its backend is removed', async () => {
    const { proxy, port } = await openUdp();
    const [first, second] = [await udpEcho('a'), await udpEcho('b')];
    proxy.setBackends([first]);
    const client = new UdpClient(port);
    expect(await client.ask('1')).toBe('a:1');
    proxy.setBackends([second]);
    expect(await client.ask('2')).toBe('b:2');
  });

  it('leaves a client with its backend while that drains, and sends others to another one', async () => {
    const { proxy, port } = await openUdp();
    const [first, second] = [await udpEcho('a'), await udpEcho('b')];
    proxy.setBackends([first]);
    const client = new UdpClient(port);
    expect(await client.ask('1')).toBe('a:1');
    proxy.setBackends([second], [first]);
    expect([await client.ask('2'), await new UdpClient(port).ask('1')]).toEqual(['a:2', 'b:1']);
    proxy.setBackends([second]);
    expect(await client.ask('3')).toBe('b:3');
  });

  it('drops datagrams without a backend', async () => {
    let lost: (message: string) => void = () => undefined;
    const told = new Promise<string>((resolve) => (lost = resolve));
    const logger = {
      ...silentLogger,
      debug: (_: object, message: string) => {
        lost(message);
      },
    };
    const { proxy, port } = await openUdp(systemClock, logger);
    const client = new UdpClient(port);
    client.send('1');
    expect(await told).toBe('a datagram was dropped: its Service has no backend');
    proxy.setBackends([await udpEcho('a')]);
    expect(await client.ask('2')).toBe('a:2');
  });

  it('closes the flow of a client after 90 s without a datagram', async () => {
    const clock = new FakeClock();
    const { proxy, port } = await openUdp(clock);
    proxy.setBackends([await udpEcho('a')]);
    await new UdpClient(port).ask('1');
    await clock.advance(89_000);
    expect(proxy.flows).toBe(1);
    await clock.advance(45_000);
    expect(proxy.flows).toBe(0);
  });
});

/** An endpoint without a listener. */
const CLOSED = { address: '127.0.0.1', port: 1 };

async function tcpEcho(): Promise<Endpoint> {
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.close();
  });
  return { address: '127.0.0.1', port: (server.address() as AddressInfo).port };
}

async function openTcp(): Promise<{ proxy: TcpProxy; port: number }> {
  const proxy = await TcpProxy.open(ANY, silentLogger);
  closing.push(() => proxy.close());
  return { proxy, port: proxy.address.port };
}

/** Sends a text, ends, and resolves with the complete answer; rejects if the connection is reset. */
async function exchange(port: number, text: string, localAddress = '127.0.0.1'): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, localAddress });
  socket.end(text);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

describe('a TCP port of a Service', () => {
  it('forwards a connection in both directions until its end', async () => {
    const { proxy, port } = await openTcp();
    proxy.setBackends([await tcpEcho()]);
    const text = 'x'.repeat(100_000);
    expect(await exchange(port, text)).toBe(text);
  });

  it('keeps the address of a client of 127.0.0.0/8, so that pods can tell clients apart', async () => {
    const { proxy, port } = await openTcp();
    const backend = createServer((socket) => socket.end(String(socket.remoteAddress)));
    await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
    closing.push(() => {
      backend.close();
    });
    proxy.setBackends([{ address: '127.0.0.1', port: (backend.address() as AddressInfo).port }]);
    expect(await exchange(port, '')).toBe('127.0.0.1');
    expect(await exchange(port, '', '127.0.0.44')).toBe('127.0.0.44');
  });

  it('resets connections without a backend that listens', async () => {
    const { proxy, port } = await openTcp();
    await expect(exchange(port, 'x')).rejects.toThrow(/ECONNRESET|EPIPE/);
    proxy.setBackends([CLOSED]);
    await expect(exchange(port, 'x')).rejects.toThrow(/ECONNRESET|EPIPE/);
  });

  it('tries the next backend if one does not listen', async () => {
    const { proxy, port } = await openTcp();
    proxy.setBackends([CLOSED, await tcpEcho(), CLOSED]);
    for (let i = 0; i < 3; i += 1) expect(await exchange(port, String(i))).toBe(String(i));
  });

  it('keeps the connections of a draining backend, and opens no others', async () => {
    const { proxy, port } = await openTcp();
    const backend = await tcpEcho();
    proxy.setBackends([backend]);
    const socket = connect({ host: '127.0.0.1', port });
    socket.write('1');
    await once(socket, 'data');
    proxy.setBackends([], [backend]);
    await expect(exchange(port, 'x')).rejects.toThrow(/ECONNRESET|EPIPE/);
    socket.end('2');
    expect(String(await once(socket, 'data'))).toBe('2');
    await once(socket, 'end');
  });

  it('ends connections to a removed backend', async () => {
    const { proxy, port } = await openTcp();
    proxy.setBackends([await tcpEcho()]);
    const socket = connect({ host: '127.0.0.1', port });
    const closed = new Promise<void>((resolve) =>
      socket
        .on('error', () => undefined)
        .on('close', () => {
          resolve();
        }),
    );
    socket.write('x');
    await new Promise((resolve) => socket.once('data', resolve));
    proxy.setBackends([]);
    await closed;
  });
});
