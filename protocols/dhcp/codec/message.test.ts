import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ip, mac } from '../testing/test-network.ts';
import { decodeMessage, type DhcpMessage, encodeMessage, PacketError } from './message.ts';

const bytes = (maxLength: number): fc.Arbitrary<Buffer> => {
  return fc.uint8Array({ maxLength }).map((value) => Buffer.from(value));
};
/** Without NUL, which ends the text. */
const text = (maxLength: number): fc.Arbitrary<Buffer> => {
  return fc.array(fc.integer({ min: 1, max: 255 }), { maxLength }).map((value) => Buffer.from(value));
};
const u8 = fc.nat(0xff);
const u16 = fc.nat(0xffff);
const u32 = fc.nat(0xffffffff);

const anyMessage: fc.Arbitrary<DhcpMessage> = fc.record({
  op: u8,
  htype: u8,
  hops: u8,
  xid: u32,
  secs: u16,
  flags: u16,
  ciaddr: u32,
  yiaddr: u32,
  siaddr: u32,
  giaddr: u32,
  macAddress: fc.nat(0xffffffffffff),
  sname: text(64),
  file: text(128),
  options: fc.uniqueArray(
    // Option 52 would mark the text fields as options.
    fc.record({ code: fc.integer({ min: 1, max: 254 }).filter((code) => code !== 52), value: bytes(700) }),
    { selector: ({ code }) => code, maxLength: 20 },
  ),
});

describe('a DHCP message', () => {
  it('is the same after encoding and decoding', () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        expect(decodeMessage(encodeMessage(message))).toEqual(message);
      }),
    );
  });

  it('is encoded byte for byte', () => {
    const datagram = encodeMessage({
      op: 1,
      xid: 0x3903f326,
      secs: 1,
      flags: 0x8000,
      giaddr: ip('10.0.0.9'),
      macAddress: mac('00:05:3c:04:8d:59'),
      options: [
        { code: 53, value: Uint8Array.of(1) },
        { code: 50, value: Uint8Array.of(10, 0, 0, 7) },
      ],
    });
    expect(datagram.toString('hex')).toBe(
      '010106003903f32600018000' +
        '00000000000000000000000' +
        '00a000009' +
        '00053c048d5900000000000000000000' +
        '00'.repeat(192) +
        '63825363' +
        '350101' +
        '32040a000007' +
        'ff' +
        '00'.repeat(50),
    );
    expect(datagram).toHaveLength(300);
  });

  it('splits a long option into pieces', () => {
    const datagram = encodeMessage({ op: 1, macAddress: 1, options: [{ code: 119, value: new Uint8Array(256) }] });
    expect([datagram[240], datagram[241], datagram[497], datagram[498]]).toEqual([119, 255, 119, 1]);
  });

  it.each([
    ['sname', { sname: new Uint8Array(65) }, 'sname of 65 bytes is too long'],
    ['file', { file: new Uint8Array(129) }, 'file of 129 bytes is too long'],
    ['pad', { options: [{ code: 0, value: new Uint8Array(0) }] }, 'an option cannot have the code 0'],
    ['end', { options: [{ code: 255, value: new Uint8Array(0) }] }, 'an option cannot have the code 255'],
  ])('is refused if it cannot be encoded: %s', (_name, fields, error) => {
    expect(() => encodeMessage({ op: 1, macAddress: 1, ...fields })).toThrow(new RangeError(error));
  });

  it('is not decoded from an invalid datagram', () => {
    const read = (): unknown => decodeMessage(Buffer.alloc(8));
    expect(read).toThrow(PacketError);
    expect(read).toThrow(expect.objectContaining({ code: 'Malformed', message: 'secs is cut off: 8 of 240 bytes' }));
  });
});
