import { beforeEach, describe, expect, it } from 'vitest';
import { BOOT_REPLY, BOOT_REQUEST, MESSAGE_TYPE } from '../codec/header.ts';
import { decodeMessage, type DhcpMessage, type EncodedOption, encodeMessage, optionOf } from '../codec/message.ts';
import { encodeU32 } from '../options/values.ts';
import { OPTION } from '../options/option-code.ts';
import { DhcpClient, type Step } from './dhcp-client.ts';

const MAC = 0x525400123456;
const [SERVER, OTHER_SERVER] = [0x0a000001, 0x0a000002];
const [ADDRESS, OTHER_ADDRESS] = [0x0a000064, 0x0a000065];
/** Seconds. */
const LEASE_TIME = 3600;

let now: number;
let client: DhcpClient;
/** The last message that the client sent. */
let said: DhcpMessage;
let to: unknown;

beforeEach(() => {
  now = 1_000;
  // No jitter: the random value is the middle.
  client = new DhcpClient({ identity: { macAddress: MAC }, random: () => 0.5 });
});

/** Stores the message of a step; fails if the step sent nothing. */
function sent(step: Step): DhcpMessage {
  if (step.send === undefined) throw new Error('nothing was sent');
  said = decodeMessage(step.send.datagram);
  to = step.send.to;
  return said;
}

interface Answer {
  server?: number;
  address?: number;
  options?: readonly EncodedOption[];
  xid?: number;
  macAddress?: number;
  op?: number;
}

/** The answer of a server to the last message. */
function answer(type: keyof typeof MESSAGE_TYPE, fields: Answer = {}): Buffer {
  const { server = SERVER, address = ADDRESS, xid = said.xid, macAddress = MAC, op = BOOT_REPLY } = fields;
  return encodeMessage({
    op,
    xid,
    macAddress,
    yiaddr: type === 'nak' ? 0 : address,
    options: [
      { code: OPTION.messageType, value: Uint8Array.of(MESSAGE_TYPE[type]) },
      { code: OPTION.serverIdentifier, value: encodeU32(server) },
      ...(fields.options ?? [{ code: OPTION.leaseTime, value: encodeU32(LEASE_TIME) }]),
    ],
  });
}

function typeOf(message: DhcpMessage): number | undefined {
  return optionOf(message, OPTION.messageType)?.[0];
}

/** The address in an option of the last message. */
function saidAddress(code: number): number | undefined {
  const value = optionOf(said, code);
  return value === undefined ? undefined : Buffer.from(value).readUInt32BE();
}

/** Advances the time to the next due moment and ticks. */
function wait(): Step {
  if (client.due === undefined) throw new Error('nothing is due');
  now = client.due;
  return client.tick(now);
}

function bind(): void {
  sent(client.start(now));
  sent(client.receive(answer('offer'), now));
  client.receive(answer('ack'), now);
  expect(client.state).toBe('Bound');
}

describe('a client without an address', () => {
  it('accepts the first offer and has its lease after the ACK', () => {
    sent(client.start(now));
    expect([typeOf(said), to, client.state]).toEqual([MESSAGE_TYPE.discover, 'broadcast', 'Selecting']);
    const { xid } = said;

    const step = client.receive(answer('offer'), now);
    expect(step.heard?.yiaddr).toBe(ADDRESS);
    sent(step);
    expect([typeOf(said), to, client.state]).toEqual([MESSAGE_TYPE.request, 'broadcast', 'Requesting']);
    expect(saidAddress(OPTION.requestedAddress)).toBe(ADDRESS);
    expect(saidAddress(OPTION.serverIdentifier)).toBe(SERVER);
    expect(said).toMatchObject({ xid, ciaddr: 0, op: BOOT_REQUEST });

    expect(client.receive(answer('ack'), now).heard).toBeDefined();
    expect(client.state).toBe('Bound');
    expect(client.lease).toMatchObject({ address: ADDRESS, server: SERVER, expiresAt: now + LEASE_TIME * 1000 });
  });

  it('retransmits after 4, 8, 16, 32, 64 and 64 seconds, and sends the elapsed seconds', () => {
    sent(client.start(now));
    const started = now;
    const times = Array.from({ length: 6 }, () => {
      sent(wait());
      return [(now - started) / 1000, said.secs];
    });
    expect(times).toEqual([4, 12, 28, 60, 124, 188].map((seconds) => [seconds, seconds]));
  });

  it.each([
    [0, 3_000],
    [0.999, 4_998],
  ])('varies the delay by up to one second (random %d)', (random, delay) => {
    client = new DhcpClient({ identity: { macAddress: MAC }, random: () => random });
    client.start(now);
    expect(client.due).toBeCloseTo(now + delay);
  });

  it('does nothing before it is due', () => {
    client.start(now);
    expect(client.tick(now + 3_999)).toEqual({});
    expect(new DhcpClient({ identity: { macAddress: MAC }, random: () => 0 }).tick(now)).toEqual({});
  });

  it('starts again after four unanswered REQUESTs', () => {
    sent(client.start(now));
    sent(client.receive(answer('offer'), now));
    for (let attempt = 0; attempt < 3; attempt += 1) expect(typeOf(sent(wait()))).toBe(MESSAGE_TYPE.request);
    expect(typeOf(sent(wait()))).toBe(MESSAGE_TYPE.discover);
  });

  it('starts again at once after a NAK, and with a delay after a second NAK', () => {
    sent(client.start(now));
    sent(client.receive(answer('offer'), now));
    expect(typeOf(sent(client.receive(answer('nak'), now)))).toBe(MESSAGE_TYPE.discover);
    for (const seconds of [4, 8]) {
      sent(client.receive(answer('offer'), now));
      expect(client.receive(answer('nak'), now).send).toBeUndefined();
      expect([client.state, client.due]).toEqual(['Init', now + seconds * 1000]);
      expect(typeOf(sent(wait()))).toBe(MESSAGE_TYPE.discover);
    }
  });

  it.each<[string, () => Buffer]>([
    ['of another transaction', () => answer('offer', { xid: 7 })],
    ['for another client', () => answer('offer', { macAddress: MAC + 1 })],
    ['without an address', () => answer('offer', { address: 0 })],
    ['with op 1 (request)', () => answer('offer', { op: BOOT_REQUEST })],
    ['that is an unrequested ACK', () => answer('ack')],
    ['that is an unrequested NAK', () => answer('nak')],
    ['of a type for servers', () => answer('discover')],
    ['that is not a DHCP message', () => Buffer.from('hello')],
    [
      'without a message type',
      () => encodeMessage({ op: BOOT_REPLY, xid: said.xid, macAddress: MAC, yiaddr: ADDRESS, options: [] }),
    ],
    [
      'without a server',
      () =>
        encodeMessage({
          op: BOOT_REPLY,
          xid: said.xid,
          macAddress: MAC,
          yiaddr: ADDRESS,
          options: [{ code: OPTION.messageType, value: Uint8Array.of(MESSAGE_TYPE.offer) }],
        }),
    ],
  ])('ignores a message %s', (_, datagram) => {
    sent(client.start(now));
    expect(client.receive(datagram(), now)).toEqual({});
    expect(client.state).toBe('Selecting');
  });

  it('ignores an ACK or NAK of another server, and an ACK without a lease time', () => {
    sent(client.start(now));
    sent(client.receive(answer('offer'), now));
    for (const type of ['ack', 'nak'] as const)
      expect(client.receive(answer(type, { server: OTHER_SERVER }), now)).toEqual({});
    expect(client.receive(answer('ack', { options: [] }), now)).toEqual({});
    expect(client.receive(answer('offer', { server: OTHER_SERVER }), now)).toEqual({});
    expect(client.state).toBe('Requesting');
  });

  it('accepts a rapid ACK if it requested one', () => {
    client = new DhcpClient({ identity: { macAddress: MAC, rapidCommit: true }, random: () => 0.5 });
    sent(client.start(now));
    expect(optionOf(said, OPTION.rapidCommit)).toHaveLength(0);
    const time = { code: OPTION.leaseTime, value: encodeU32(LEASE_TIME) };
    const rapid = { code: OPTION.rapidCommit, value: new Uint8Array(0) };
    client.receive(answer('ack', { options: [time, rapid] }), now);
    expect(client).toMatchObject({ state: 'Bound', lease: { address: ADDRESS } });
  });
});

describe('a client with a previous address (INIT-REBOOT)', () => {
  it('requests that address without a server identifier', () => {
    sent(client.start(now, { address: ADDRESS }));
    expect([typeOf(said), to, client.state]).toEqual([MESSAGE_TYPE.request, 'broadcast', 'Rebooting']);
    expect([saidAddress(OPTION.requestedAddress), saidAddress(OPTION.serverIdentifier)]).toEqual([ADDRESS, undefined]);
    expect(said.ciaddr).toBe(0);
    client.receive(answer('ack'), now);
    expect(client).toMatchObject({ state: 'Bound', lease: { address: ADDRESS } });
  });

  it('starts again after a NAK', () => {
    sent(client.start(now, { address: ADDRESS }));
    sent(client.receive(answer('nak'), now));
    expect([typeOf(said), client.state]).toEqual([MESSAGE_TYPE.discover, 'Selecting']);
  });

  it('starts again if no server answers', () => {
    sent(client.start(now, { address: ADDRESS }));
    expect(typeOf(sent(wait()))).toBe(MESSAGE_TYPE.request);
    expect(typeOf(sent(wait()))).toBe(MESSAGE_TYPE.discover);
  });
});

describe('a client with an address', () => {
  it('renews with its server at half of the lease time, and retries after half of the remaining time', () => {
    bind();
    const bound = now;
    sent(wait());
    expect(now - bound).toBe((LEASE_TIME / 2) * 1000);
    expect([typeOf(said), to, client.state]).toEqual([MESSAGE_TYPE.request, SERVER, 'Renewing']);
    expect(said.ciaddr).toBe(ADDRESS);
    expect([saidAddress(OPTION.requestedAddress), saidAddress(OPTION.serverIdentifier)]).toEqual([
      undefined,
      undefined,
    ]);
    sent(wait());
    expect([(now - bound) / 1000, to]).toEqual([1800 + (3150 - 1800) / 2, SERVER]);
    client.receive(answer('ack'), now);
    expect(client).toMatchObject({ state: 'Bound', lease: { expiresAt: now + LEASE_TIME * 1000 } });
  });

  it('sends to all servers from seven eighths of the lease time on, and accepts the ACK of another server', () => {
    bind();
    const bound = now;
    while (client.state !== 'Rebinding') sent(wait());
    expect([(now - bound) / 1000, to, said.ciaddr]).toEqual([LEASE_TIME * 0.875, 'broadcast', ADDRESS]);
    client.receive(answer('ack', { server: OTHER_SERVER }), now);
    expect(client).toMatchObject({ state: 'Bound', lease: { server: OTHER_SERVER } });
  });

  it('loses its address when the lease expires', () => {
    bind();
    const { expiresAt } = client.lease ?? {};
    while (client.state !== 'Selecting') sent(wait());
    expect(now).toBe(expiresAt);
    expect(client.lease).toBeUndefined();
    expect(typeOf(said)).toBe(MESSAGE_TYPE.discover);
  });

  it('loses its address when a renewal is refused', () => {
    bind();
    sent(client.renew(now));
    sent(client.receive(answer('nak'), now));
    expect([typeOf(said), client.lease]).toEqual([MESSAGE_TYPE.discover, undefined]);
  });

  it('uses the T1 and T2 of the server', () => {
    sent(client.start(now));
    sent(client.receive(answer('offer'), now));
    const seconds = (code: number, value: number) => ({ code, value: encodeU32(value) });
    const options = [
      seconds(OPTION.leaseTime, 100),
      seconds(OPTION.renewalTime, 10),
      seconds(OPTION.rebindingTime, 20),
    ];
    client.receive(answer('ack', { options }), now);
    expect(client.lease).toMatchObject({
      renewAt: now + 10_000,
      rebindAt: now + 20_000,
      expiresAt: now + 100_000,
    });
  });

  it('has the address without limit if the lease time is infinite', () => {
    sent(client.start(now));
    sent(client.receive(answer('offer'), now));
    client.receive(answer('ack', { options: [{ code: OPTION.leaseTime, value: encodeU32(0xffffffff) }] }), now);
    expect([client.lease?.expiresAt, client.due]).toEqual([Infinity, undefined]);
  });

  it('accepts another address in the ACK of its renewal', () => {
    bind();
    sent(client.renew(now));
    client.receive(answer('ack', { address: OTHER_ADDRESS }), now);
    expect(client.lease?.address).toBe(OTHER_ADDRESS);
  });

  it('releases the address to its server and stops', () => {
    bind();
    sent(client.release(now));
    expect([typeOf(said), to, said.ciaddr]).toEqual([MESSAGE_TYPE.release, SERVER, ADDRESS]);
    expect(saidAddress(OPTION.serverIdentifier)).toBe(SERVER);
    expect(client).toMatchObject({ state: 'Init', lease: undefined, due: undefined });
  });

  it('declines an address that another host uses, and starts again after ten seconds', () => {
    bind();
    sent(client.decline(now));
    expect([typeOf(said), to, said.ciaddr]).toEqual([MESSAGE_TYPE.decline, 'broadcast', 0]);
    expect([saidAddress(OPTION.requestedAddress), saidAddress(OPTION.serverIdentifier)]).toEqual([ADDRESS, SERVER]);
    const declined = now;
    expect(typeOf(sent(wait()))).toBe(MESSAGE_TYPE.discover);
    expect(now - declined).toBe(10_000);
  });

  it('stops without sending a message', () => {
    bind();
    client.stop();
    expect(client).toMatchObject({ state: 'Init', lease: undefined, due: undefined });
  });
});

describe('a client with an externally configured address', () => {
  it('requests its options, and retransmits until it gets an answer', () => {
    sent(client.inform(now, ADDRESS));
    expect([typeOf(said), said.ciaddr, client.state]).toEqual([MESSAGE_TYPE.inform, ADDRESS, 'Informing']);
    expect(typeOf(sent(wait()))).toBe(MESSAGE_TYPE.inform);
    const { heard } = client.receive(answer('ack', { address: 0, options: [] }), now);
    expect(heard).toBeDefined();
    expect(client).toMatchObject({ state: 'Informed', lease: undefined, due: undefined });
  });
});

it('does not renew, release or decline without a lease', () => {
  expect([client.renew(now), client.release(now), client.decline(now)]).toEqual([{}, {}, {}]);
});
