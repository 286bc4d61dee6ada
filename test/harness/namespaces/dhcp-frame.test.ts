import { describe, expect, it } from 'vitest';
import { readDhcpFrame } from './dhcp-frame.ts';

const ETHERNET = Buffer.from('ffffffffffff5254001234560800', 'hex');
const IP = Buffer.from('45000000000000004011000000000000ffffffff', 'hex');

/** A DISCOVER like dhclient's, with these options. */
function discover(options: string): Buffer {
  const message = Buffer.alloc(240);
  message.set([1, 1, 6], 0);
  message.set(Buffer.from('525400123456', 'hex'), 28);
  message.set(Buffer.from('63825363', 'hex'), 236);
  const payload = Buffer.concat([message, Buffer.from(options, 'hex')]);
  const udp = Buffer.alloc(8);
  udp.writeUInt16BE(68, 0);
  udp.writeUInt16BE(67, 2);
  udp.writeUInt16BE(8 + payload.length, 4);
  return Buffer.concat([ETHERNET, IP, udp, payload]);
}

const read = (bytes: Buffer) => readDhcpFrame({ time: 0, bytes });

describe('readDhcpFrame', () => {
  it('reads a message and its Ethernet and IP addresses', () => {
    const frame = read(discover('00350101430574662e303aff'));
    expect(frame).toMatchObject({
      type: 'DISCOVER',
      fromMac: '52:54:00:12:34:56',
      toMac: 'ff:ff:ff:ff:ff:ff',
      from: '0.0.0.0',
      to: '255.255.255.255',
      toPort: 67,
      client: '52:54:00:12:34:56',
      isBroadcastAsked: false,
      bootFile: 'tf.0:',
    });
  });

  it('returns undefined for a truncated frame or another protocol', () => {
    const whole = discover('350101ff');
    for (let length = 0; length < 282; length += 1) expect(read(whole.subarray(0, length))).toBeUndefined();
    const arp = Buffer.from(whole);
    arp.writeUInt16BE(0x0806, 12);
    expect(read(arp)).toBeUndefined();
  });
});
