import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cipherSuite } from './cipher-suite.ts';
import { PacketIntegrity } from './integrity.ts';
import { PAYLOAD_OFFSET, writePacketHeader } from './packet.ts';

const SUITE = cipherSuite(3);
const KEY = Buffer.alloc(20, 0x11);
const integrity = new PacketIntegrity(SUITE, KEY);

function signed(payloadLength: number): Buffer {
  const datagram = Buffer.alloc(PAYLOAD_OFFSET + payloadLength + integrity.trailerLength(payloadLength));
  writePacketHeader(datagram, 0, true, 1, 1, payloadLength);
  integrity.sign(datagram, payloadLength);
  return datagram;
}

/** Signs with the right key but any trailer. */
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
      integrity.verify(datagram, length);
    }).not.toThrow();
  });

  it.each([
    ['another next header', 'ffff0208'],
    ['a pad length that does not fit', 'ffff0107'],
    ['a pad of other bytes', 'ff000207'],
  ])('rejects %s although the signature is correct', (_name, trailer) => {
    expect(() => {
      integrity.verify(signedWithTrailer(trailer), 4);
    }).toThrow(/integrity pad or next header/);
  });

  it('rejects a packet without a trailer or with another key', () => {
    const datagram = signed(4);
    expect(() => {
      integrity.verify(datagram.subarray(0, PAYLOAD_OFFSET + 4), 4);
    }).toThrow(/session trailer needs/);
    expect(() => {
      new PacketIntegrity(SUITE, Buffer.alloc(20)).verify(datagram, 4);
    }).toThrow(expect.objectContaining({ code: 'BadIntegrity' }));
  });

  it.each([3, 17] as const)('contains the HMAC of node:crypto for any key and length in suite %i', (id) => {
    const suite = cipherSuite(id);
    const key = fc.uint8Array({ minLength: 1, maxLength: suite.digestLength });
    fc.assert(
      fc.property(key, fc.array(fc.nat({ max: 300 }), { minLength: 1, maxLength: 5 }), (secret, lengths) => {
        const signer = new PacketIntegrity(suite, Buffer.from(secret));
        for (const length of lengths) {
          const datagram = Buffer.alloc(PAYLOAD_OFFSET + length + signer.trailerLength(length), length);
          signer.sign(datagram, length);
          const body = datagram.subarray(4, -suite.integrityLength);
          const expected = createHmac(suite.hash, secret).update(body).digest().subarray(0, suite.integrityLength);
          expect(datagram.subarray(-suite.integrityLength)).toEqual(expected);
        }
      }),
    );
  });
});
