import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { addressOf, formatAddress } from '../../udp/ipv4-text.ts';
import type { Reply } from '../server-contract.ts';
import { DhcpUdpEndpoint } from './dhcp-udp-endpoint.ts';
import type { Host } from './outgoing-interface.ts';

const BROADCAST = 0xffffffff;
const [ONE, TWO] = [addressOf('127.0.0.2'), addressOf('127.0.0.3')];
const ELSEWHERE = addressOf('192.0.2.1');
const closing: (() => unknown)[] = [];

/** A host with loopback and a default route. */
const DEFAULT_ROUTE: Host = {
  addresses: () => [{ device: 'lo', cidr: '127.0.0.1/8' }],
  routeTable: () => 'Iface\neth0 00000000 0100F40A 0003 0 0 0 00000000',
  isLittleEndian: true,
};

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A server that records the source of datagrams and answers to `way`. */
async function serve(port: number, way: Omit<Reply, 'datagram'>, host?: Host) {
  const errors: Error[] = [];
  const endpoint = new DhcpUdpEndpoint({
    server: { handle: (_, origin) => ({ datagram: Buffer.from(formatAddress(origin.address)), ...way }) },
    now: () => 0,
    onError: (error) => void errors.push(error),
    port,
    ...(host === undefined ? {} : { host }),
  });
  closing.push(() => endpoint.close());
  await endpoint.start();
  return { endpoint, errors };
}

async function bind(address: string, port = 0): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  closing.push(() => socket.close());
  socket.bind(port, address);
  await once(socket, 'listening');
  socket.setBroadcast(true);
  return socket;
}

/** A port that is probably free on all addresses. */
async function freePort(): Promise<number> {
  const socket = createSocket('udp4').bind(0);
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  return port;
}

async function heard(socket: Socket): Promise<{ text: string; from: string }> {
  const [datagram, from] = (await once(socket, 'message')) as [Buffer, { address: string }];
  return { text: datagram.toString(), from: from.address };
}

describe('DhcpUdpEndpoint', () => {
  it('receives a broadcast and answers by broadcast from the server address', async () => {
    const [port, clientPort] = [await freePort(), await freePort()];
    const { endpoint, errors } = await serve(port, { from: ONE, to: BROADCAST, port: clientPort });
    expect(await endpoint.serve([ONE])).toEqual([]);
    const listening = await bind('255.255.255.255', clientPort);
    const asking = await bind('127.0.0.1');
    asking.send('DISCOVER', port, '255.255.255.255');
    expect(await heard(listening)).toEqual({ text: '127.0.0.1', from: '127.0.0.2' });
    expect(errors).toEqual([]);
  });

  it('receives unicast to a server address, as from relay agents, and answers from the given address', async () => {
    const port = await freePort();
    const relay = await bind('127.0.0.1');
    const { endpoint } = await serve(port, { from: TWO, to: addressOf('127.0.0.1'), port: relay.address().port });
    await endpoint.serve([ONE, TWO]);
    relay.send('DISCOVER', port, '127.0.0.2');
    expect(await heard(relay)).toEqual({ text: '127.0.0.1', from: '127.0.0.3' });
  });

  it('returns the addresses that no interface has, and serves the others', async () => {
    const { endpoint, errors } = await serve(await freePort(), { from: ONE, to: BROADCAST, port: 9 });
    expect(await endpoint.serve([ELSEWHERE, ONE])).toEqual([ELSEWHERE]);
    expect(await endpoint.serve([ELSEWHERE, ONE])).toEqual([ELSEWHERE]);
    expect(errors).toEqual([]);
  });

  it('adds and removes addresses while it runs', async () => {
    const port = await freePort();
    const relay = await bind('127.0.0.1');
    const way = { from: TWO, to: addressOf('127.0.0.1'), port: relay.address().port };
    const { endpoint, errors } = await serve(port, way);
    await Promise.all([endpoint.serve([ONE]), endpoint.serve([ONE, TWO]), endpoint.serve([TWO])]);
    relay.send('DISCOVER', port, '127.0.0.3');
    expect(await heard(relay)).toEqual({ text: '127.0.0.1', from: '127.0.0.3' });
    await endpoint.serve([ONE]);
    relay.send('DISCOVER', port, '127.0.0.2');
    await expect.poll(() => errors).toMatchObject([{ code: 'NoInterface', message: /127\.0\.0\.3/ }]);
  });

  it('sends nothing to an address behind another interface', async () => {
    const port = await freePort();
    const relay = await bind('127.0.0.1');
    const { endpoint, errors } = await serve(port, { from: ONE, to: ELSEWHERE, port: 9 }, DEFAULT_ROUTE);
    await endpoint.serve([ONE]);
    relay.send('DISCOVER', port, '127.0.0.2');
    await expect
      .poll(() => errors)
      .toMatchObject([{ code: 'OffNetwork', message: /^192\.0\.2\.1 .* by eth0, not by lo/ }]);
  });

  it('reports that a server address is in use, and serves the others', async () => {
    const port = await freePort();
    const other = createSocket('udp4').bind(port, '127.0.0.2');
    closing.push(() => other.close());
    await once(other, 'listening');
    const relay = await bind('127.0.0.1');
    const { endpoint } = await serve(port, { from: TWO, to: addressOf('127.0.0.1'), port: relay.address().port });
    await expect(endpoint.serve([ONE, TWO])).rejects.toMatchObject({ code: 'EADDRINUSE' });
    relay.send('DISCOVER', port, '127.0.0.3');
    expect(await heard(relay)).toEqual({ text: '127.0.0.1', from: '127.0.0.3' });
  });
});
