import { describe, expect, it } from 'vitest';
import {
  decodeSessionlessPacket,
  encodeSessionlessPacket,
  isSecuredPacket,
  payloadLengthOf,
  payloadTypeOf,
  sequenceOf,
  sessionIdOf,
} from './packet.ts';

describe('RMCP+ packet', () => {
  it('outside of a session is not encrypted, with session ID and sequence number 0', () => {
    expect(encodeSessionlessPacket(0x12, Buffer.from('abcd', 'hex')).toString('hex')).toBe(
      '0600ff07' + '06' + '12' + '00000000' + '00000000' + '0200' + 'abcd',
    );
  });

  it('in a session contains its ID and the protection flags', () => {
    const datagram = Buffer.from('0600ff0706c104030201080000000200abcdffff0207', 'hex');
    expect(payloadTypeOf(datagram)).toBe(1);
    expect(sessionIdOf(datagram)).toBe(0x01020304);
    expect(sequenceOf(datagram)).toBe(8);
    expect(payloadLengthOf(datagram)).toBe(2);
    expect(isSecuredPacket(datagram)).toBe(true);
  });

  it.each([
    ['of IPMI 1.5', '0600ff0702c0'],
    ['encrypted alone', '0600ff070680'],
    ['signed alone', '0600ff070640'],
    ['with an OEM payload, whose header is longer', '0600ff0706c2'],
  ])('is not secured if it is %s', (_name, hex) => {
    expect(isSecuredPacket(Buffer.from(hex, 'hex'))).toBe(false);
  });

  it.each([
    ['0600ff07', /session header needs 16 bytes/],
    ['0600ff07061200000000000000000200ab', /payload needs 18 bytes/],
    ['0600ff0706120000000000000000ffff', /payload needs 65551 bytes/],
  ])('names the truncated field in %s', (hex, message) => {
    expect(() => decodeSessionlessPacket(Buffer.from(hex, 'hex'))).toThrow(message);
  });

  it('is decoded only if it is outside of a session', () => {
    const datagram = encodeSessionlessPacket(0x12, Buffer.from('abcd', 'hex'));
    expect(decodeSessionlessPacket(datagram)).toEqual({ payloadType: 0x12, payload: Buffer.from('abcd', 'hex') });
    datagram.writeUInt8(0xd2, 5);
    expect(() => decodeSessionlessPacket(datagram)).toThrow(expect.objectContaining({ code: 'UnknownSession' }));
  });

  it('needs a complete session header for its session ID', () => {
    expect(() => sessionIdOf(Buffer.alloc(15))).toThrow(/session header needs 16 bytes/);
  });

  it('with an OEM payload is rejected', () => {
    const datagram = encodeSessionlessPacket(0x02, Buffer.alloc(8));
    expect(() => decodeSessionlessPacket(datagram)).toThrow(expect.objectContaining({ code: 'Unsupported' }));
  });
});
