import { beforeEach, describe, expect, it } from 'vitest';
import { MESSAGE_TYPE } from '../codec/header.ts';
import type { MessageFields } from '../codec/message.ts';
import type { Ipv4 } from '../lease.ts';
import type { Outcome } from '../server-contract.ts';
import { OPTION } from '../options/option-code.ts';
import {
  ADDRESS,
  asking,
  BROADCAST,
  ip,
  lease,
  mac,
  MAC,
  message,
  type Options,
  SERVER,
  settings,
  SIBLING,
  STRANGER,
  TestNetwork,
  text,
} from '../testing/test-network.ts';

let network: TestNetwork;

beforeEach(() => {
  network = new TestNetwork();
});

const { requestedAddress, serverIdentifier } = OPTION;
const UNKNOWN = { macAddress: mac('52:54:00:99:99:99') };
const WRONG = ip('10.77.200.2');

function typeOf(answer: { option(code: number): string | undefined } | undefined): number | undefined {
  const value = answer?.option(OPTION.messageType);
  return value === undefined ? undefined : Number(`0x${value}`);
}

describe('DISCOVER', () => {
  it('gets an OFFER of the lease by broadcast, from the server address of its network', () => {
    const offer = network.ask('discover');
    expect(offer).toMatchObject({ from: SERVER, to: BROADCAST, port: 68 });
  });

  it('gets its lease whatever address it requests', () => {
    expect(network.ask('discover', { [requestedAddress]: WRONG })?.yiaddr).toBe(ADDRESS);
  });

  it('keeps the broadcast flag', () => {
    expect(network.ask('discover', {}, { flags: 0x8000 })).toMatchObject({ flags: 0x8000, to: BROADCAST });
  });

  it.each([
    ['its own', ADDRESS, ADDRESS],
    ['another of its network', WRONG, BROADCAST],
    ['one somewhere else', ip('192.0.2.1'), BROADCAST],
  ])("with a ciaddr %s is answered there only if it is the lease's address", (_name, ciaddr, to) => {
    expect(network.ask('discover', {}, { ciaddr })).toMatchObject({ ciaddr: 0, yiaddr: ADDRESS, to });
  });

  it('of an unknown client gets no answer', () => {
    expect(network.ask('discover', {}, UNKNOWN)).toBeUndefined();
    expect(network.outcome).toBe('UnknownClient');
    expect(network.told.seen).toEqual([]);
  });

  it('of iPXE that requests option 60 gets an OFFER', () => {
    const options = {
      ...asking(1, 3, 6, 7, 12, 15, 17, 26, 43, 60, 66, 67, 119, 128, 129, 130, 131, 132, 133, 134, 135, 175, 203),
      [OPTION.vendorClass]: text('PXEClient:Arch:00000:UNDI:002001'),
      [OPTION.userClass]: text('iPXE'),
    };
    const offer = network.ask('discover', options);
    expect(typeOf(offer)).toBe(MESSAGE_TYPE.offer);
    expect(offer?.option(OPTION.vendorClass)).toBeUndefined();
  });

  it('after 17 hops gets an OFFER', () => {
    expect(typeOf(network.ask('discover', {}, { hops: 17 }))).toBe(MESSAGE_TYPE.offer);
  });

  it('with rapid commit gets an ACK with the rapid commit option', () => {
    const ack = network.ask('discover', { [OPTION.rapidCommit]: new Uint8Array(0) });
    expect(typeOf(ack)).toBe(MESSAGE_TYPE.ack);
    expect(ack?.option(OPTION.rapidCommit)).toBe('');
    expect(ack?.yiaddr).toBe(ADDRESS);
    expect(network.told.acknowledged).toHaveLength(1);
  });
});

describe('REQUEST', () => {
  const chosen = { [serverIdentifier]: SERVER, [requestedAddress]: ADDRESS };

  it.each<[string, Options, Partial<MessageFields>, Outcome, Ipv4?]>([
    ['SELECTING: for its address', chosen, {}, 'Ack', BROADCAST],
    ['SELECTING: for another address', { ...chosen, [requestedAddress]: WRONG }, {}, 'Nak', BROADCAST],
    [
      'SELECTING: its address in ciaddr (RFC 1541)',
      { [serverIdentifier]: SERVER },
      { ciaddr: ADDRESS },
      'Ack',
      ADDRESS,
    ],
    ['SELECTING: with another ciaddr', chosen, { ciaddr: ip('192.0.2.1') }, 'Ack', BROADCAST],
    ['SELECTING: without an address', { [serverIdentifier]: SERVER }, {}, 'Malformed'],
    ['SELECTING: names a sibling', { ...chosen, [serverIdentifier]: SIBLING }, {}, 'OtherServer'],
    ['SELECTING: names an unknown server', { ...chosen, [serverIdentifier]: STRANGER }, {}, 'OtherServer'],
    ['SELECTING: a server of three bytes', { [serverIdentifier]: Uint8Array.of(10, 77, 0) }, {}, 'OtherServer'],
    ['SELECTING: an unknown client', chosen, UNKNOWN, 'UnknownClient'],
    ['INIT-REBOOT: for its address', { [requestedAddress]: ADDRESS }, {}, 'Ack', BROADCAST],
    ['INIT-REBOOT: for another address of its network', { [requestedAddress]: WRONG }, {}, 'Nak', BROADCAST],
    ['INIT-REBOOT: for an address of another network', { [requestedAddress]: ip('192.168.1.7') }, {}, 'Nak', BROADCAST],
    ['INIT-REBOOT: without an address', {}, {}, 'Malformed'],
    ['INIT-REBOOT: an unknown client', { [requestedAddress]: ADDRESS }, UNKNOWN, 'UnknownClient'],
    ['RENEWING: from its address', {}, { ciaddr: ADDRESS }, 'Ack', ADDRESS],
    ['RENEWING: from its address, with the broadcast flag', {}, { ciaddr: ADDRESS, flags: 0x8000 }, 'Ack', ADDRESS],
    ['RENEWING: from another address', {}, { ciaddr: WRONG }, 'Nak', BROADCAST],
  ])('%s', (_name, options, fields, outcome, to) => {
    const answer = network.ask('request', options, fields);
    expect(network.outcome).toBe(outcome);
    const isAck = outcome === 'Ack';
    const address = isAck ? { ciaddr: fields.ciaddr ?? 0, yiaddr: ADDRESS } : { ciaddr: 0, yiaddr: 0, siaddr: 0 };
    if (to === undefined) expect(answer).toBeUndefined();
    else expect(answer).toMatchObject({ ...address, to, port: 68, from: SERVER });
    expect(typeOf(answer)).toBe(to === undefined ? undefined : isAck ? MESSAGE_TYPE.ack : MESSAGE_TYPE.nak);
    const { refused, otherServers, dropped } = network.told;
    expect(refused).toEqual(outcome === 'Nak' ? [lease()] : []);
    expect(otherServers).toEqual(options[serverIdentifier] === STRANGER ? [STRANGER] : []);
    if (outcome === 'Malformed') {
      expect(dropped).toEqual(['Malformed: Request lacks an address or a server identifier']);
    }
  });
});

describe('DECLINE and RELEASE', () => {
  const declined = { [serverIdentifier]: SERVER, [requestedAddress]: ADDRESS };
  const released = { [serverIdentifier]: SERVER };

  it.each<[string, 'decline' | 'release', Options, Partial<MessageFields>, Outcome]>([
    ['DECLINE is reported', 'decline', declined, {}, 'Noted'],
    // The next DECLINE of the client may name this server.
    ['DECLINE that names a sibling is reported', 'decline', { ...declined, [serverIdentifier]: SIBLING }, {}, 'Noted'],
    ['DECLINE of another address', 'decline', { ...declined, [requestedAddress]: WRONG }, {}, 'Ignored'],
    ['DECLINE that names no server', 'decline', { [requestedAddress]: ADDRESS }, {}, 'Malformed'],
    ['DECLINE to an unknown server', 'decline', { ...declined, [serverIdentifier]: STRANGER }, {}, 'OtherServer'],
    ['RELEASE is reported', 'release', released, { ciaddr: ADDRESS }, 'Noted'],
    ['RELEASE of another address', 'release', released, { ciaddr: WRONG }, 'Ignored'],
    ['RELEASE that names no server', 'release', {}, { ciaddr: ADDRESS }, 'Malformed'],
    ['RELEASE to an unknown server', 'release', { [serverIdentifier]: STRANGER }, { ciaddr: ADDRESS }, 'OtherServer'],
  ])('%s', (_name, type, options, fields, outcome) => {
    expect(network.ask(type, options, fields)).toBeUndefined();
    expect(network.outcome).toBe(outcome);
    const reported = outcome === 'Noted' ? [lease()] : [];
    expect(network.told.declined).toEqual(type === 'decline' ? reported : []);
    expect(network.told.released).toEqual(type === 'release' ? reported : []);
    // The lease stays assigned.
    expect(network.ask('discover')?.yiaddr).toBe(ADDRESS);
  });
});

describe('INFORM', () => {
  it('gets an ACK at its address, with options and without a lease time', () => {
    const ciaddr = ip('10.77.3.3');
    const ack = network.ask('inform', asking(1, 3, 6, 51, 58, 59), { ciaddr });
    expect(ack).toMatchObject({ ciaddr, yiaddr: 0, to: ciaddr, port: 68 });
    expect(ack?.options.map(({ code }) => code)).toEqual([53, 54, 1, 3, 6]);
    expect(typeOf(ack)).toBe(MESSAGE_TYPE.ack);
    expect(network.told.acknowledged).toEqual([]);
  });

  it('gets no lease times, even if the pool sets them', () => {
    const options = [OPTION.renewalTime, OPTION.rebindingTime].map((code) => ({
      code,
      value: Uint8Array.of(0, 0, 1, 0),
    }));
    network = new TestNetwork([lease({ settings: settings({ options }) })]);
    for (const asked of [asking(1, 58, 59), {}]) {
      const ack = network.ask('inform', asked, { ciaddr: ADDRESS });
      expect(ack?.option(OPTION.subnetMask)).toBe('ffff0000');
      expect(ack?.option(OPTION.renewalTime)).toBeUndefined();
      expect(ack?.option(OPTION.rebindingTime)).toBeUndefined();
    }
  });

  it('through a relay agent gets a direct answer, without option 82', () => {
    const options = { [OPTION.relayAgent]: Uint8Array.of(1, 1, 7) };
    const ack = network.ask('inform', options, { ciaddr: ADDRESS, giaddr: ip('10.77.0.9') });
    expect(ack).toMatchObject({ to: ADDRESS, port: 68 });
    expect(ack?.option(OPTION.relayAgent)).toBeUndefined();
  });

  it.each([
    ['of an address of another network', ip('192.0.2.1'), 'OtherNetwork'],
    ['without an address', 0, 'Malformed'],
  ])('%s gets no answer', (_name, ciaddr, outcome) => {
    expect(network.ask('inform', {}, { ciaddr })).toBeUndefined();
    expect(network.outcome).toBe(outcome);
  });

  it('of an unknown client gets no answer', () => {
    expect(network.ask('inform', {}, { ...UNKNOWN, ciaddr: ADDRESS })).toBeUndefined();
  });
});

describe('NAK', () => {
  it('is not sent while the store is stale; this is counted', () => {
    network.isFresh = false;
    expect(network.ask('request', { [requestedAddress]: WRONG })).toBeUndefined();
    expect(network.outcome).toBe('NotFresh');
    expect(network.told.refused).toEqual([]);
  });

  it('does not stop ACKs of a stale store', () => {
    network.isFresh = false;
    expect(typeOf(network.ask('request', { [requestedAddress]: ADDRESS }))).toBe(MESSAGE_TYPE.ack);
  });
});

describe('an invalid client message', () => {
  it.each<[string, (datagram: Buffer) => Buffer, string]>([
    ['without the magic cookie', (datagram) => overwrite(datagram, 236, 0), 'cookie is not that of DHCP'],
    ['with an address of 16 bytes', (datagram) => overwrite(datagram, 2, 16), 'hlen is 16, an Ethernet address has 6'],
    ['that ends in the header', (datagram) => datagram.subarray(0, 100), 'sname is cut off: 100 of 240 bytes'],
    [
      'that ends in an option',
      (datagram) => Buffer.concat([datagram.subarray(0, 243), Buffer.of(12, 20, 65)]),
      'option 12 in options needs 20 bytes, there are 1',
    ],
    ['of no bytes', () => Buffer.alloc(0), 'op is cut off: 0 of 240 bytes'],
  ])('%s is dropped and the field named', (_name, change, detail) => {
    expect(network.send(change(message('discover')))).toBeUndefined();
    expect(network.told.handled).toEqual(['Unknown Malformed']);
    expect(network.told.dropped).toEqual([`Malformed: ${detail}`]);
  });

  it('without a message type (BOOTP) gets no answer', () => {
    expect(network.send(overwrite(message('discover'), 240, 99))).toBeUndefined();
    expect(network.told.handled).toEqual(['Unknown Ignored']);
    expect(network.told.seen).toEqual([]);
  });

  it.each(['offer', 'ack', 'nak'] as const)('of the server type %s gets no answer', (type) => {
    expect(network.ask(type)).toBeUndefined();
    expect(network.outcome).toBe('Ignored');
  });

  it('with op 2 (reply) gets no answer, whatever its type', () => {
    expect(network.ask('discover', {}, { op: 2 })).toBeUndefined();
    expect(network.outcome).toBe('Ignored');
  });
});

describe('a lease', () => {
  it('is found by MAC address, not by client identifier, which clones share', () => {
    const other = mac('52:54:00:12:34:57');
    network = new TestNetwork([lease(), lease({ macAddress: other, ipAddress: WRONG })]);
    const identifier = { [OPTION.clientIdentifier]: Uint8Array.of(255, 0, 0, 0, 1, 0, 2, 0, 0, 0xab, 0x11) };
    expect(network.ask('discover', identifier)?.yiaddr).toBe(ADDRESS);
    expect(network.ask('discover', identifier, { macAddress: other })?.yiaddr).toBe(WRONG);
  });

  it('that moves to another client is offered only to that client at once', () => {
    const other = mac('52:54:00:12:34:57');
    network.ask('discover');
    network.leases.delete(MAC);
    network.has(lease({ macAddress: other }));
    expect(network.ask('discover')).toBeUndefined();
    expect(network.ask('discover', {}, { macAddress: other })?.yiaddr).toBe(ADDRESS);
  });

  it('uses the current settings of its network', () => {
    expect(network.ask('discover')?.option(OPTION.domainNameServers)).toBe('0a4d003501010101');
    network.has(lease({ settings: settings({ dns: [ip('9.9.9.9')], leaseTime: 60 }) }));
    const offer = network.ask('discover');
    expect(offer?.option(OPTION.domainNameServers)).toBe('09090909');
    expect(offer?.option(OPTION.leaseTime)).toBe('0000003c');
  });

  it("reports when its client was seen, and the client's data at an ACK", () => {
    const inputs = { [OPTION.hostName]: text('vm-1'), [OPTION.vendorClass]: text('udhcp 1.36') };
    network.ask('discover', inputs);
    expect(network.told.acknowledged).toEqual([]);
    network.ask('request', { [requestedAddress]: ADDRESS, ...inputs });
    network.ask('request', { [requestedAddress]: ADDRESS });
    expect(network.told.seen).toHaveLength(3);
    expect(network.told.acknowledged).toEqual([{ hostname: 'vm-1', vendorClass: 'udhcp 1.36' }, {}]);
  });

  it('without expiry is not renewed', () => {
    network = new TestNetwork([lease({ settings: settings({ leaseTime: 0xffffffff }) })]);
    const offer = network.ask('discover');
    expect(offer?.option(OPTION.renewalTime)).toBe('ffffffff');
    expect(offer?.option(OPTION.rebindingTime)).toBe('ffffffff');
  });
});

describe('the server', () => {
  it('reports an error of the store and continues', () => {
    const failure = new Error('the store failed');
    network.leases.get = () => {
      throw failure;
    };
    expect(network.ask('discover')).toBeUndefined();
    expect(network.told.failed).toEqual([failure]);
    Reflect.deleteProperty(network.leases, 'get');
    expect(network.ask('discover')?.yiaddr).toBe(ADDRESS);
  });
});

function overwrite(datagram: Buffer, at: number, byte: number): Buffer {
  datagram[at] = byte;
  return datagram;
}
