import { describe, expect, it } from 'vitest';
import { decodePacket, encodeSessionlessPacket } from './packet.ts';

describe('RMCP+ packet', () => {
  it('outside of a session is clear, with session ID and sequence number 0', () => {
    expect(encodeSessionlessPacket(0x12, Buffer.from('abcd', 'hex')).toString('hex')).toBe(
      '0600ff07' + '06' + '12' + '00000000' + '00000000' + '0200' + 'abcd',
    );
  });

  it('in a session names it, and says how it is protected', () => {
    const datagram = Buffer.from('0600ff0706c004030201080000000200abcdffff0207', 'hex');
    expect(decodePacket(datagram)).toEqual({
      payloadType: 0,
      encrypted: true,
      authenticated: true,
      sessionId: 0x01020304,
      sequence: 8,
      payload: Buffer.from('abcd', 'hex'),
      datagram,
    });
  });

  it.each([
    ['0600ff07', /session header needs 16 bytes/],
    ['0600ff07061200000000000000000200ab', /payload needs 18 bytes/],
    ['0600ff0706120000000000000000ffff', /payload needs 65551 bytes/],
  ])('says what is cut off in %s', (hex, message) => {
    expect(() => decodePacket(Buffer.from(hex, 'hex'))).toThrow(message);
  });

  it('refuses OEM payloads', () => {
    const datagram = encodeSessionlessPacket(0x02, Buffer.alloc(8));
    expect(() => decodePacket(datagram)).toThrow(expect.objectContaining({ code: 'Unsupported' }));
  });
});
