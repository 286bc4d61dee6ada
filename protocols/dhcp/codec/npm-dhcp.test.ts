import protocol from 'dhcp/lib/protocol.js';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../options/values.ts';
import { OPTION } from '../options/option-code.ts';
import { ADDRESS, asking, ip, lease, MAC, message, SERVER, settings, TestNetwork } from '../testing/test-network.ts';
import { decodeMessage, optionOf } from './message.ts';

/**
 * Compares this codec with the npm package `dhcp`, an independent implementation, within the limits of that package: no pads
 * between options, no split options, no identifiers that contain zeros, no options that it does not know.
 */
describe('the npm package dhcp', () => {
  const network = new TestNetwork([
    lease({
      hostname: 'vm-1',
      settings: settings({
        mtu: 1_450,
        ntp: [ip('10.77.0.123')],
        netboot: { nextServer: ip('10.77.0.69'), bootFiles: { bios: 'pxelinux.0' } },
      }),
    }),
  ]);
  const options = asking(1, 3, 6, 12, 15, 26, 28, 42, 66, 67);

  it('decodes an OFFER of this server', () => {
    const offer = network.ask('discover', options, { flags: 0x8000 });
    expect(protocol.parse(offer?.datagram ?? Buffer.alloc(0))).toEqual({
      op: 2,
      htype: 1,
      hlen: 6,
      hops: 0,
      xid: 0x12345678,
      secs: 0,
      flags: 0x8000,
      ciaddr: '0.0.0.0',
      yiaddr: '10.77.200.1',
      siaddr: '0.0.0.0',
      giaddr: '0.0.0.0',
      chaddr: '52-54-00-12-34-56',
      sname: '',
      file: '',
      magicCookie: 0x63825363,
      options: {
        1: '255.255.0.0',
        3: ['10.77.0.254'],
        6: ['10.77.0.53', '1.1.1.1'],
        12: 'vm-1',
        15: 'example.com',
        26: 1_450,
        28: '10.77.255.255',
        42: ['10.77.0.123'],
        51: 43_200,
        53: 2,
        54: '10.77.0.1',
        58: 21_600,
        59: 37_800,
      },
    });
  });

  it('decodes an ACK with a boot file', () => {
    const boot = { [OPTION.vendorClass]: Buffer.from('PXEClient'), [OPTION.requestedAddress]: ADDRESS, ...options };
    const ack = network.ask('request', boot);
    expect(protocol.parse(ack?.datagram ?? Buffer.alloc(0))).toMatchObject({
      siaddr: '10.77.0.69',
      file: 'pxelinux.0',
      options: { 53: 5, 60: 'PXEClient', 66: '10.77.0.69', 67: 'pxelinux.0' },
    });
  });

  it('decodes a NAK', () => {
    const nak = network.ask('request', { [OPTION.requestedAddress]: ip('10.0.0.1') });
    expect(protocol.parse(nak?.datagram ?? Buffer.alloc(0)).options).toEqual({
      53: 6,
      54: '10.77.0.1',
      56: 'this is not your address',
    });
  });

  it('decodes a message of this client', () => {
    const datagram = message('request', { [OPTION.requestedAddress]: ADDRESS, ...asking(1, 3, 121) });
    expect(protocol.parse(datagram).options).toEqual({ 50: '10.77.200.1', 53: 3, 55: [1, 3, 121] });
  });

  it('sends a message that this server answers', () => {
    const { _data, _w } = protocol.format({
      op: 1,
      htype: 1,
      hlen: 6,
      hops: 0,
      xid: 0xcafe,
      secs: 3,
      flags: 0x8000,
      ciaddr: '0.0.0.0',
      yiaddr: '0.0.0.0',
      siaddr: '0.0.0.0',
      giaddr: '10.77.0.9',
      chaddr: '52-54-00-12-34-56',
      sname: 'here',
      file: 'there',
      options: { 12: 'vm', 50: '10.77.200.1', 53: 3, 54: '10.77.0.1', 55: [1, 3], 57: 1_500 },
    });
    const datagram = _data.subarray(0, _w);
    const read = decodeMessage(datagram);
    expect(read).toMatchObject({ xid: 0xcafe, secs: 3, flags: 0x8000, giaddr: ip('10.77.0.9'), macAddress: MAC });
    expect([decodeText(read.sname), decodeText(read.file)]).toEqual(['here', 'there']);
    expect(read.options.map(({ code }) => code)).toEqual([12, 50, 53, 54, 55, 57]);
    expect(optionOf(read, OPTION.maxMessageSize)).toEqual(Buffer.of(0x05, 0xdc));
    expect(network.send(datagram)).toMatchObject({ yiaddr: ADDRESS, from: SERVER, to: ip('10.77.0.9') });
  });
});
