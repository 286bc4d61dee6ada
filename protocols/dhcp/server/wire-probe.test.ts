import { describe, expect, it } from 'vitest';
import { MESSAGE_TYPE } from '../codec/header.ts';
import { OPTION } from '../options/option-code.ts';
import {
  ADDRESS,
  asking,
  BROADCAST,
  hex,
  ip,
  lease,
  mac,
  MAC,
  message,
  SERVER,
  settings,
  SIBLING,
  STRANGER,
  TestNetwork,
  text,
} from '../testing/test-network.ts';

const { requestedAddress, serverIdentifier } = OPTION;
const UNKNOWN = { macAddress: mac('52:54:00:99:99:99') };
const WRONG = ip('10.77.200.2');

function typeOf(answer: { option(code: number): string | undefined } | undefined): number | undefined {
  const value = answer?.option(OPTION.messageType);
  return value === undefined ? undefined : Number(`0x${value}`);
}

describe('DISCOVER', () => {
  it('gets an OFFER of the lease by broadcast, from the server address of its network', () => {
    const offer = new TestNetwork().ask('discover');
    expect(offer).toMatchObject({
      op: 2,
      htype: 1,
      hops: 0,
      xid: 0x12345678,
      secs: 0,
      flags: 0,
      ciaddr: 0,
      yiaddr: ADDRESS,
      siaddr: 0,
      giaddr: 0,
      macAddress: MAC,
      from: SERVER,
      to: BROADCAST,
      port: 68,
    });
    expect(typeOf(offer)).toBe(MESSAGE_TYPE.offer);
  });

  it('gets lease time, T1 and T2 without requesting them', () => {
    const offer = new TestNetwork().ask('discover', asking(3));
    expect(offer?.option(OPTION.leaseTime)).toBe('0000a8c0');
    expect(offer?.option(OPTION.renewalTime)).toBe('00005460');
    expect(offer?.option(OPTION.rebindingTime)).toBe('000093a8');
    expect(offer?.option(serverIdentifier)).toBe(hex(SERVER));
  });

  it('gets its lease whatever address it requests', () => {
    expect(new TestNetwork().ask('discover', { [requestedAddress]: WRONG })?.yiaddr).toBe(ADDRESS);
  });

  it('keeps the broadcast flag', () => {
    expect(new TestNetwork().ask('discover', {}, { flags: 0x8000 })).toMatchObject({ flags: 0x8000, to: BROADCAST });
  });

  it.each([
    ['its own', ADDRESS, ADDRESS],
    ['another of its network', WRONG, BROADCAST],
    ['one somewhere else', ip('192.0.2.1'), BROADCAST],
  ])("with a ciaddr %s is answered there only if it is the lease's address", (_name, ciaddr, to) => {
    expect(new TestNetwork().ask('discover', {}, { ciaddr })).toMatchObject({ ciaddr: 0, yiaddr: ADDRESS, to });
  });

  it('gets the same answer each time', () => {
    const network = new TestNetwork();
    const first = network.ask('discover')?.datagram;
    expect(network.ask('discover')?.datagram).toEqual(first);
  });

  it('of an unknown client gets no answer', () => {
    const network = new TestNetwork();
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
    const offer = new TestNetwork().ask('discover', options);
    expect(typeOf(offer)).toBe(MESSAGE_TYPE.offer);
    expect(offer?.option(OPTION.vendorClass)).toBeUndefined();
  });

  it('after 17 hops gets an OFFER', () => {
    expect(typeOf(new TestNetwork().ask('discover', {}, { hops: 17 }))).toBe(MESSAGE_TYPE.offer);
  });

  it('with rapid commit gets an ACK with the rapid commit option', () => {
    const network = new TestNetwork();
    const ack = network.ask('discover', { [OPTION.rapidCommit]: new Uint8Array(0) });
    expect(typeOf(ack)).toBe(MESSAGE_TYPE.ack);
    expect(ack?.option(OPTION.rapidCommit)).toBe('');
    expect(ack?.yiaddr).toBe(ADDRESS);
    expect(network.told.acknowledged).toHaveLength(1);
  });

  it('without rapid commit gets no rapid commit option', () => {
    expect(new TestNetwork().ask('discover')?.option(OPTION.rapidCommit)).toBeUndefined();
  });
});

describe('REQUEST in SELECTING', () => {
  it('for its address gets an ACK', () => {
    const network = new TestNetwork();
    const ack = network.ask('request', { [serverIdentifier]: SERVER, [requestedAddress]: ADDRESS });
    expect(ack).toMatchObject({ ciaddr: 0, yiaddr: ADDRESS, to: BROADCAST, port: 68, from: SERVER });
    expect(typeOf(ack)).toBe(MESSAGE_TYPE.ack);
    expect(network.outcome).toBe('Ack');
  });

  it('for another address gets a NAK, reported as a refusal', () => {
    const network = new TestNetwork();
    const nak = network.ask('request', { [serverIdentifier]: SERVER, [requestedAddress]: WRONG });
    expect(typeOf(nak)).toBe(MESSAGE_TYPE.nak);
    expect(network.told.refused).toEqual([lease()]);
  });

  it('with its address in ciaddr (RFC 1541) gets an ACK', () => {
    expect(typeOf(new TestNetwork().ask('request', { [serverIdentifier]: SERVER }, { ciaddr: ADDRESS }))).toBe(
      MESSAGE_TYPE.ack,
    );
  });

  it('for its address with another ciaddr gets the ACK by broadcast', () => {
    const options = { [serverIdentifier]: SERVER, [requestedAddress]: ADDRESS };
    const ack = new TestNetwork().ask('request', options, { ciaddr: ip('192.0.2.1') });
    expect(ack).toMatchObject({ yiaddr: ADDRESS, to: BROADCAST });
    expect(typeOf(ack)).toBe(MESSAGE_TYPE.ack);
  });

  it('without an address is malformed', () => {
    const network = new TestNetwork();
    expect(network.ask('request', { [serverIdentifier]: SERVER })).toBeUndefined();
    expect(network.outcome).toBe('Malformed');
    expect(network.told.dropped).toEqual(['Malformed: Request lacks an address or a server identifier']);
  });

  it('that names an unknown server gets no answer and reports another server', () => {
    const network = new TestNetwork();
    expect(network.ask('request', { [serverIdentifier]: STRANGER, [requestedAddress]: ADDRESS })).toBeUndefined();
    expect(network.outcome).toBe('OtherServer');
    expect(network.told.otherServers).toEqual([STRANGER]);
  });

  it('that names a sibling gets no answer and reports nothing', () => {
    const network = new TestNetwork();
    expect(network.ask('request', { [serverIdentifier]: SIBLING, [requestedAddress]: ADDRESS })).toBeUndefined();
    expect(network.outcome).toBe('OtherServer');
    expect(network.told.otherServers).toEqual([]);
  });

  it('of an unknown client gets no answer, even if it names this server', () => {
    const network = new TestNetwork();
    const options = { [serverIdentifier]: SERVER, [requestedAddress]: ADDRESS };
    expect(network.ask('request', options, UNKNOWN)).toBeUndefined();
    expect(network.outcome).toBe('UnknownClient');
  });

  it('with a server identifier of three bytes is ignored', () => {
    const network = new TestNetwork();
    expect(network.ask('request', { [serverIdentifier]: Uint8Array.of(10, 77, 0) })).toBeUndefined();
    expect(network.outcome).toBe('OtherServer');
    expect(network.told.otherServers).toEqual([]);
  });
});

describe('REQUEST in INIT-REBOOT', () => {
  it('for its address gets an ACK', () => {
    expect(typeOf(new TestNetwork().ask('request', { [requestedAddress]: ADDRESS }))).toBe(MESSAGE_TYPE.ack);
  });

  it.each([
    ['of the same network', WRONG],
    ['of another network, from which it was moved', ip('192.168.1.7')],
  ])('for an address %s gets a NAK by broadcast', (_name, address) => {
    const nak = new TestNetwork().ask('request', { [requestedAddress]: address });
    expect(nak).toMatchObject({ yiaddr: 0, ciaddr: 0, siaddr: 0, to: BROADCAST, port: 68, from: SERVER });
    expect(typeOf(nak)).toBe(MESSAGE_TYPE.nak);
  });

  it('of an unknown client gets no answer', () => {
    expect(new TestNetwork().ask('request', { [requestedAddress]: ADDRESS }, UNKNOWN)).toBeUndefined();
  });

  it('without an address is malformed', () => {
    const network = new TestNetwork();
    expect(network.ask('request')).toBeUndefined();
    expect(network.outcome).toBe('Malformed');
  });
});

describe('REQUEST in RENEWING or REBINDING', () => {
  it('from its address gets an ACK there', () => {
    const ack = new TestNetwork().ask('request', {}, { ciaddr: ADDRESS });
    expect(ack).toMatchObject({ ciaddr: ADDRESS, yiaddr: ADDRESS, to: ADDRESS, port: 68 });
    expect(typeOf(ack)).toBe(MESSAGE_TYPE.ack);
  });

  it('from its address gets a unicast ACK even with the broadcast flag', () => {
    expect(new TestNetwork().ask('request', {}, { ciaddr: ADDRESS, flags: 0x8000 })?.to).toBe(ADDRESS);
  });

  it('from another address gets a NAK by broadcast', () => {
    const nak = new TestNetwork().ask('request', {}, { ciaddr: WRONG });
    expect(nak).toMatchObject({ ciaddr: 0, to: BROADCAST });
    expect(typeOf(nak)).toBe(MESSAGE_TYPE.nak);
  });
});

describe('NAK', () => {
  it('contains server identifier, reason and client identifier, and no lease', () => {
    const identifier = Uint8Array.of(1, 0x52, 0x54, 0, 0x12, 0x34, 0x56);
    const options = { [requestedAddress]: WRONG, [OPTION.clientIdentifier]: identifier, ...asking(1, 3, 6, 51) };
    const nak = new TestNetwork().ask('request', options);
    expect(nak?.options.map(({ code }) => code)).toEqual([53, 54, 56, 61]);
    expect(nak?.option(OPTION.clientIdentifier)).toBe('01525400123456');
    expect(nak?.datagram).toHaveLength(300);
  });

  it('is not sent while the store is stale; this is counted', () => {
    const network = new TestNetwork();
    network.isFresh = false;
    expect(network.ask('request', { [requestedAddress]: WRONG })).toBeUndefined();
    expect(network.outcome).toBe('NotFresh');
    expect(network.told.refused).toEqual([]);
  });

  it('does not stop ACKs of a stale store', () => {
    const network = new TestNetwork();
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
    const network = new TestNetwork();
    expect(network.send(change(message('discover')))).toBeUndefined();
    expect(network.told.handled).toEqual(['Unknown Malformed']);
    expect(network.told.dropped).toEqual([`Malformed: ${detail}`]);
  });

  it('without a message type (BOOTP) gets no answer', () => {
    const network = new TestNetwork();
    expect(network.send(overwrite(message('discover'), 240, 99))).toBeUndefined();
    expect(network.told.handled).toEqual(['Unknown Ignored']);
    expect(network.told.seen).toEqual([]);
  });

  it.each(['offer', 'ack', 'nak'] as const)('of the server type %s gets no answer', (type) => {
    const network = new TestNetwork();
    expect(network.ask(type)).toBeUndefined();
    expect(network.outcome).toBe('Ignored');
  });

  it('with op 2 (reply) gets no answer, whatever its type', () => {
    const network = new TestNetwork();
    expect(network.ask('discover', {}, { op: 2 })).toBeUndefined();
    expect(network.outcome).toBe('Ignored');
  });
});

describe('a lease', () => {
  it('is found by MAC address, not by client identifier, which clones share', () => {
    const other = mac('52:54:00:12:34:57');
    const network = new TestNetwork([lease(), lease({ macAddress: other, ipAddress: WRONG })]);
    const identifier = { [OPTION.clientIdentifier]: Uint8Array.of(255, 0, 0, 0, 1, 0, 2, 0, 0, 0xab, 0x11) };
    expect(network.ask('discover', identifier)?.yiaddr).toBe(ADDRESS);
    expect(network.ask('discover', identifier, { macAddress: other })?.yiaddr).toBe(WRONG);
  });

  it('that moves to another client is offered only to that client at once', () => {
    const other = mac('52:54:00:12:34:57');
    const network = new TestNetwork();
    network.ask('discover');
    network.leases.delete(MAC);
    network.has(lease({ macAddress: other }));
    expect(network.ask('discover')).toBeUndefined();
    expect(network.ask('discover', {}, { macAddress: other })?.yiaddr).toBe(ADDRESS);
  });

  it('uses the current settings of its network', () => {
    const network = new TestNetwork();
    expect(network.ask('discover')?.option(OPTION.domainNameServers)).toBe('0a4d003501010101');
    network.has(lease({ settings: settings({ dns: [ip('9.9.9.9')], leaseTime: 60 }) }));
    const offer = network.ask('discover');
    expect(offer?.option(OPTION.domainNameServers)).toBe('09090909');
    expect(offer?.option(OPTION.leaseTime)).toBe('0000003c');
  });

  it("reports when its client was seen, and the client's data at an ACK", () => {
    const network = new TestNetwork();
    const inputs = { [OPTION.hostName]: text('vm-1'), [OPTION.vendorClass]: text('udhcp 1.36') };
    network.ask('discover', inputs);
    expect(network.told.acknowledged).toEqual([]);
    network.ask('request', { [requestedAddress]: ADDRESS, ...inputs });
    network.ask('request', { [requestedAddress]: ADDRESS });
    expect(network.told.seen).toHaveLength(3);
    expect(network.told.acknowledged).toEqual([{ hostname: 'vm-1', vendorClass: 'udhcp 1.36' }, {}]);
  });

  it('without expiry is not renewed', () => {
    const network = new TestNetwork([lease({ settings: settings({ leaseTime: 0xffffffff }) })]);
    const offer = network.ask('discover');
    expect(offer?.option(OPTION.renewalTime)).toBe('ffffffff');
    expect(offer?.option(OPTION.rebindingTime)).toBe('ffffffff');
  });
});

describe('the server', () => {
  it('reports an error of the store and continues', () => {
    const network = new TestNetwork();
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
