import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyedHmac } from './keyed-hmac.ts';
import { SHA1 } from './sha1.ts';
import { SHA256 } from './sha256.ts';

const HASHES = [SHA1, SHA256] as const;

/** RFC 2202 and RFC 4231, test cases 1, 2 and 6: key and data in hex. */
const VECTORS = [
  {
    key: '0b'.repeat(20),
    data: Buffer.from('Hi There').toString('hex'),
    sha1: 'b617318655057264e28bc0b6fb378c8ef146be00',
    sha256: 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  },
  {
    key: Buffer.from('Jefe').toString('hex'),
    data: Buffer.from('what do ya want for nothing?').toString('hex'),
    sha1: 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79',
    sha256: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  },
];

describe.each(HASHES)('HMAC of $name', (hash) => {
  it.each(VECTORS)('matches the RFC test case for $data', (vector) => {
    const data = Buffer.from(vector.data, 'hex');
    const code = new KeyedHmac(hash, Buffer.from(vector.key, 'hex')).code(data, 0, data.length);
    expect(code.toString('hex')).toBe(vector[hash.name]);
  });

  it('matches node:crypto for all message lengths up to four blocks', () => {
    const key = Buffer.from('0123456789abcdef0123');
    const hmac = new KeyedHmac(hash, key);
    for (let length = 0; length <= 256; length += 1) {
      const data = Buffer.alloc(length, length);
      expect(hmac.code(data, 0, length), `${length} bytes`).toEqual(createHmac(hash.name, key).update(data).digest());
    }
  });

  it('matches node:crypto for any key and any range of any data, in sequence', () => {
    const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
    fc.assert(
      fc.property(bytes(200), fc.array(fc.tuple(bytes(700), fc.nat(20)), { maxLength: 5 }), (key, messages) => {
        const hmac = new KeyedHmac(hash, key);
        for (const [data, start] of messages) {
          const from = Math.min(start, data.length);
          const expected = createHmac(hash.name, key).update(data.subarray(from)).digest();
          expect(hmac.code(data, from, data.length)).toEqual(expected);
        }
      }),
    );
  });
});
