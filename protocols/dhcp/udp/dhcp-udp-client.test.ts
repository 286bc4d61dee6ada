import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import type { ClientState } from '../client/dhcp-client.ts';
import { BOOT_REPLY, MESSAGE_TYPE } from '../codec/header.ts';
import { decodeMessage, encodeMessage, optionOf } from '../codec/message.ts';
import { encodeU32 } from '../options/values.ts';
import { OPTION } from '../options/option-code.ts';
import { broadcastTransport, type ClientTransport, serverTransport } from './client-transport.ts';
import { DhcpUdpClient } from './dhcp-udp-client.ts';
import { addressOf } from '../../udp/ipv4-text.ts';
import { LoopbackEndpoint } from './loopback-endpoint.ts';

const MAC = 0x525400123456;
const [SERVER, ADDRESS] = [addressOf('127.0.0.1'), addressOf('10.0.0.100')];
const ANSWERS: Partial<Record<number, number>> = {
  [MESSAGE_TYPE.discover]: MESSAGE_TYPE.offer,
  [MESSAGE_TYPE.request]: MESSAGE_TYPE.ack,
};
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A server with one address and this lease time in seconds; it records the messages. */
async function serve(leaseTime: number) {
  const heard: (number | undefined)[] = [];
  const handle = (datagram: Uint8Array) => {
    const { xid, macAddress, options } = decodeMessage(datagram);
    const type = optionOf({ options }, OPTION.messageType)?.[0];
    heard.push(type);
    const answer = ANSWERS[type ?? 0];
    if (answer === undefined) return undefined;
    const reply = encodeMessage({
      op: BOOT_REPLY,
      xid,
      macAddress,
      yiaddr: ADDRESS,
      options: [
        { code: OPTION.messageType, value: Uint8Array.of(answer) },
        { code: OPTION.serverIdentifier, value: encodeU32(SERVER) },
        { code: OPTION.leaseTime, value: encodeU32(leaseTime) },
      ],
    });
    return { datagram: reply, from: SERVER, to: ADDRESS, port: 68 };
  };
  const errors: Error[] = [];
  const onError = (error: Error) => void errors.push(error);
  const endpoint = new LoopbackEndpoint({ server: { handle }, now: () => 0, onError, address: '127.0.0.1', port: 0 });
  closing.push(() => endpoint.close());
  await endpoint.start();
  return { port: endpoint.port, heard, errors };
}

async function clientBy(transport: ClientTransport) {
  const states: ClientState[] = [];
  const errors: Error[] = [];
  const client = new DhcpUdpClient({
    identity: { macAddress: MAC },
    random: () => 0.5,
    transport,
    now: () => performance.now(),
    onStep: (_, { state }) => void states.push(state),
    onError: (error) => void errors.push(error),
  });
  closing.push(() => client.close());
  await client.open();
  return { client, states, errors };
}

describe('DhcpUdpClient', () => {
  it('gets, renews and releases its lease', async () => {
    const { port, heard } = await serve(1);
    const { client, states } = await clientBy(serverTransport({ server: { host: '127.0.0.1', port } }));
    client.act((machine, now) => machine.start(now));
    await expect.poll(() => client.machine).toMatchObject({ state: 'Bound', lease: { address: ADDRESS } });
    expect(states).toEqual(['Selecting', 'Requesting', 'Bound']);
    // By its own timer, after half a second.
    await expect.poll(() => states.slice(3), { timeout: 5_000 }).toEqual(['Renewing', 'Bound']);
    client.act((machine, now) => machine.release(now));
    await expect.poll(() => heard.at(-1)).toBe(MESSAGE_TYPE.release);
    expect(client.machine.due).toBeUndefined();
  });

  it('broadcasts as a client on a network', async () => {
    // On loopback, only a socket bound to the broadcast address receives broadcasts.
    const server = createSocket({ type: 'udp4', reuseAddr: true }).bind(0, '255.255.255.255');
    closing.push(() => server.close());
    await once(server, 'listening');
    const { port: serverPort } = server.address();
    const { client } = await clientBy(broadcastTransport({ address: '127.0.0.1', clientPort: 0, serverPort }));
    const asked = once(server, 'message');
    client.act((machine, now) => machine.start(now));
    const [datagram, from] = (await asked) as [Buffer, { address: string }];
    expect(decodeMessage(datagram).macAddress).toBe(MAC);
    expect(from.address).toBe('127.0.0.1');
  });

  it('reports send and bind errors', async () => {
    const { client, errors } = await clientBy(serverTransport({ server: { host: '127.0.0.1', port: 0x1_0000 - 1 } }));
    client.act(() => ({ send: { datagram: Buffer.alloc(70_000), to: 'broadcast' } }));
    await expect.poll(() => errors).toMatchObject([{ code: 'EMSGSIZE' }]);
    const elsewhere = serverTransport({ server: { host: '127.0.0.1', port: 9 }, address: '192.0.2.1' });
    await expect(clientBy(elsewhere)).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
  });

  it('sends nothing after it is closed', async () => {
    const { port, heard } = await serve(3600);
    const { client } = await clientBy(serverTransport({ server: { host: '127.0.0.1', port } }));
    client.act((machine, now) => machine.start(now));
    await expect.poll(() => client.machine.state).toBe('Bound');
    await client.close();
    const before = heard.length;
    client.act((machine, now) => machine.start(now));
    await client.close();
    expect(heard).toHaveLength(before);
  });
});
