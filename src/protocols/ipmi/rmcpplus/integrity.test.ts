import { createHmac, createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cipherSuite } from './cipher-suite.ts';
import { integrityTrailerLength, verifyIntegrity, writeIntegrityTrailer } from './integrity.ts';
import { decodePacket, PAYLOAD_OFFSET, writePacketHeader } from './packet.ts';

const SUITE = cipherSuite(3);
const KEY = createSecretKey(Buffer.alloc(20, 0x11));

function signed(payloadLength: number): Buffer {
  const datagram = Buffer.alloc(PAYLOAD_OFFSET + payloadLength + integrityTrailerLength(SUITE, payloadLength));
  writePacketHeader(datagram, { payloadType: 0, secured: true, sessionId: 1, sequence: 1, length: payloadLength });
  writeIntegrityTrailer(SUITE, KEY, datagram, payloadLength);
  return datagram;
}

/** Signs a trailer of one's own, as somebody with the key and a bug would. */
function signedWithTrailer(trailer: string): Buffer {
  const header = signed(4).subarray(0, PAYLOAD_OFFSET + 4);
  const body = Buffer.concat([header, Buffer.from(trailer, 'hex')]);
  const code = createHmac('sha1', KEY).update(body.subarray(4)).digest().subarray(0, 12);
  return Buffer.concat([body, code]);
}

describe('integrity trailer', () => {
  it.each([
    [0, 'ffff0207'],
    [1, 'ff0107'],
    [2, '0007'],
    [3, 'ffffff0307'],
    [4, 'ffff0207'],
  ])('pads a payload of %i bytes to a multiple of 4', (length, trailer) => {
    const start = PAYLOAD_OFFSET + length;
    const datagram = signed(length);
    expect(datagram.subarray(start, -SUITE.integrityLength).toString('hex')).toBe(trailer);
    expect(() => {
      verifyIntegrity(SUITE, KEY, decodePacket(datagram));
    }).not.toThrow();
  });

  it.each([
    ['another next header', 'ffff0208'],
    ['a pad length that does not fit', 'ffff0107'],
    ['a pad of other bytes', 'ff000207'],
  ])('refuses %s although the signature fits', (_name, trailer) => {
    expect(() => {
      verifyIntegrity(SUITE, KEY, decodePacket(signedWithTrailer(trailer)));
    }).toThrow(/integrity pad or next header/);
  });

  it('refuses a packet without trailer, and another key', () => {
    const datagram = signed(4);
    expect(() => {
      verifyIntegrity(SUITE, KEY, decodePacket(datagram.subarray(0, PAYLOAD_OFFSET + 4)));
    }).toThrow(/session trailer needs/);
    expect(() => {
      verifyIntegrity(SUITE, createSecretKey(Buffer.alloc(20)), decodePacket(datagram));
    }).toThrow(expect.objectContaining({ code: 'BadIntegrity' }));
  });
});
