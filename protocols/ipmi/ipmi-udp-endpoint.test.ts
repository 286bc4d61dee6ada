import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { NativeUdp } from '../udp/native-udp.ts';
import { IpmiUdpEndpoint, type IpmiUdpEndpointOptions } from './ipmi-udp-endpoint.ts';
import type { Peer } from './datagram.ts';
import { rmcpPing } from './rmcp-ping.ts';
import { RmcpPlusClient } from './testing/rmcp-plus-client.ts';
import { CREDENTIALS, testBmc, type TestBmc } from './testing/test-bmc.ts';
import { connectedSocket, socketTransport, udpTransport } from './testing/transport.ts';

const TIMEOUT = 5_000;
const native = NativeUdp.open();
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Served {
  endpoint: IpmiUdpEndpoint;
  errors: Error[];
}

async function serve(bmc: TestBmc, options: Partial<IpmiUdpEndpointOptions> = {}): Promise<Served> {
  const errors: Error[] = [];
  const endpoint = new IpmiUdpEndpoint({
    server: bmc.server,
    addresses: ['127.0.0.1'],
    port: 0,
    now: () => bmc.now,
    onError: (error) => void errors.push(error),
    ...options,
  });
  closing.push(() => endpoint.close());
  await endpoint.start();
  return { endpoint, errors };
}

async function clientOf(port: number, address = '127.0.0.1'): Promise<RmcpPlusClient> {
  const transport = await udpTransport(address, port, TIMEOUT);
  closing.push(() => {
    transport.close();
  });
  return new RmcpPlusClient(transport);
}

const BUSY = { polls: () => true, now: (): number => performance.now() };

describe('IpmiUdpEndpoint', () => {
  it.each([
    ['', {}],
    [' with native calls', { native }],
    [' while it waits busily', BUSY],
    [' while it waits busily with native calls', { native, ...BUSY }],
  ])('answers pings, log-ins and commands%s', async (_how, options) => {
    const { endpoint, errors } = await serve(testBmc(), options);
    expect(await rmcpPing('127.0.0.1', endpoint.port, TIMEOUT)).toBe(true);
    const client = await clientOf(endpoint.port);
    await client.login(CREDENTIALS);
    await client.setPrivilege(4);
    expect((await client.command(0x00, 0x02, Buffer.of(0))).completionCode).toBe(0);
    expect((await client.command(0x00, 0x01)).data[0]).toBe(0x60);
    expect(errors).toEqual([]);
  });

  it.each([
    ['', undefined],
    [' with native calls', native],
  ])('binds several addresses to one port%s', async (_how, udp) => {
    const { endpoint } = await serve(testBmc(), { native: udp, addresses: ['127.0.0.1', '127.0.0.2', '::1'] });
    for (const address of ['127.0.0.1', '127.0.0.2', '::1']) {
      expect(await rmcpPing(address, endpoint.port, TIMEOUT), address).toBe(true);
    }
  });

  it.each([
    ['without the event loop if it reads all sockets itself', ['127.0.0.1'], true],
    ['with the event loop if only that reads one of them', ['127.0.0.1', '::1'], false],
  ])('waits busily %s', async (_how, addresses, isAlone) => {
    let readings = 0;
    const now = (): number => (readings += 1) / 1000;
    const { endpoint } = await serve(testBmc(), { native, addresses, polls: () => true, now });
    const ping = rmcpPing('127.0.0.1', endpoint.port, TIMEOUT);
    let most = 0;
    for (let turns = 0; turns < 100_000 && readings < 100; turns += 1) {
      const before = readings;
      await nextTurn();
      most = Math.max(most, readings - before);
    }
    expect(await ping).toBe(true);
    if (isAlone) expect(most).toBeGreaterThan(50);
    else expect(most).toBeLessThan(5);
  });

  it('reports that a port is in use, and binds none of the addresses', async () => {
    const { endpoint } = await serve(testBmc(), { addresses: ['127.0.0.2'] });
    const { port } = endpoint;
    const both = serve(testBmc(), { addresses: ['127.0.0.1', '127.0.0.2'], port });
    await expect(both).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await expect(serve(testBmc(), { port })).resolves.toBeDefined();
  });

  it('continues after invalid packets and after an error of the server', async () => {
    const bmc = testBmc();
    const { endpoint, errors } = await serve(bmc);
    const fault = new Error('a bug');
    const handle = bmc.server.handle.bind(bmc.server);
    bmc.server.handle = (datagram, peer, now) => {
      if (datagram.length === 1) throw fault;
      return handle(datagram, peer, now);
    };
    const socket = await connectedSocket('127.0.0.1', endpoint.port);
    closing.push(() => socket.close());
    for (const garbage of [Buffer.alloc(0), Buffer.alloc(1), Buffer.alloc(60_000, 6)]) socket.send(garbage);
    expect(await rmcpPing('127.0.0.1', endpoint.port, TIMEOUT)).toBe(true);
    expect(errors).toEqual([fault]);
  });

  it('sends unsolicited packets from the socket of the peer, and none after it is closed', async () => {
    const bmc = testBmc();
    const { endpoint, errors } = await serve(bmc, { addresses: ['127.0.0.1', '127.0.0.2'] });
    const peers: Peer[] = [];
    bmc.server.handle = (_datagram, peer) => {
      peers.push(peer);
      return [];
    };
    const socket = await connectedSocket('127.0.0.2', endpoint.port);
    closing.push(() => socket.close());
    socket.send(Buffer.from('here I am'));
    await expect.poll(() => peers.length).toBe(1);
    const [peer] = peers;
    if (peer === undefined) throw new Error('no datagram arrived');
    const heard = once(socket, 'message');
    endpoint.send(Buffer.from('unasked'), peer);
    expect(String((await heard)[0])).toBe('unasked');
    await endpoint.close();
    endpoint.send(Buffer.from('too late'), peer);
    expect(errors).toEqual([]);
    expect(() => {
      endpoint.send(Buffer.alloc(1), { address: '127.0.0.1', port: 1 });
    }).toThrow(TypeError);
  });

  it('sends no answer after it is closed, even if a command is still running', async () => {
    const bmc = testBmc();
    const { endpoint, errors } = await serve(bmc);
    const { port } = endpoint;
    const socket = await connectedSocket('127.0.0.1', port);
    closing.push(() => socket.close());
    const client = new RmcpPlusClient(socketTransport(socket, TIMEOUT));
    await client.login(CREDENTIALS);
    await client.setPrivilege(4);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    bmc.machine.gate = promise.then(() => undefined);
    const answers: Buffer[] = [];
    socket.on('message', (answer) => answers.push(answer));
    socket.send(client.seal(0x00, 0x02, Buffer.of(0)));
    await expect.poll(() => bmc.machine.powerActions).toEqual(['ForceOff']);
    await endpoint.close();
    resolve(undefined);
    expect(await rmcpPing('127.0.0.1', port, 200)).toBe(false);
    expect([answers, errors]).toEqual([[], []]);
  });
});

describe('rmcpPing', () => {
  it('is false without an answer', async () => {
    const silent = createSocket('udp4').bind(0, '127.0.0.1');
    closing.push(() => silent.close());
    await once(silent, 'listening');
    expect(await rmcpPing('127.0.0.1', silent.address().port, 100)).toBe(false);
  });

  it('is false if the port is closed or the address unreachable', async () => {
    const { endpoint } = await serve(testBmc());
    const { port } = endpoint;
    await endpoint.close();
    expect(await rmcpPing('127.0.0.1', port, TIMEOUT)).toBe(false);
    expect(await rmcpPing('not an address', port, TIMEOUT)).toBe(false);
  });

  it('is false if the answer is not a pong', async () => {
    const echo = createSocket('udp4').bind(0, '127.0.0.1');
    closing.push(() => echo.close());
    echo.on('message', (datagram, from) => {
      echo.send(datagram, from.port, from.address);
    });
    await once(echo, 'listening');
    expect(await rmcpPing('127.0.0.1', echo.address().port, 100)).toBe(false);
  });
});
