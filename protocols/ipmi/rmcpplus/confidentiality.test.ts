import { createCipheriv, createDecipheriv } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { encryptedLength, PayloadCipher } from './confidentiality.ts';
import { NativeCbc } from './native-cbc.ts';

const KEY = Buffer.alloc(16, 0x22);
const OTHER_KEY = Buffer.alloc(16, 0x33);
const NONCE = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');

function encrypted(cipher: PayloadCipher, payload: Buffer, nonce = NONCE): Buffer {
  const target = Buffer.alloc(encryptedLength(payload.length));
  cipher.encrypt(payload, nonce, target, 0);
  return target;
}

/** Decrypts with OpenSSL, one cipher object per payload. */
function opened(bytes: Buffer, key = KEY): Buffer {
  const decipher = createDecipheriv('aes-128-cbc', key, bytes.subarray(0, 16)).setAutoPadding(false);
  return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]);
}

function sealed(vector: Buffer, padded: Buffer): Buffer {
  const cipher = createCipheriv('aes-128-cbc', KEY, vector).setAutoPadding(false);
  return Buffer.concat([vector, cipher.update(padded), cipher.final()]);
}

const native = NativeCbc.open();

it('these tests have native calls', () => {
  expect(native).toBeInstanceOf(NativeCbc);
});

describe.each([
  ['native calls', native],
  ['node:crypto', 'none'],
] as const)('AES-CBC-128 with %s', (_how, way) => {
  const cipherOf = (key: Buffer): PayloadCipher => new PayloadCipher(key, way);

  it('encrypts as OpenSSL does, with initialization vector first and a counting pad', () => {
    const cipher = cipherOf(KEY);
    for (const message of ['2018c88104013a', '', '00'.repeat(15), 'ff'.repeat(16)]) {
      const padded = opened(encrypted(cipher, Buffer.from(message, 'hex'))).toString('hex');
      const pad = Array.from({ length: padded.length / 2 - message.length / 2 - 1 }, (_, index) => index + 1);
      expect(padded).toBe(message + Buffer.from([...pad, pad.length]).toString('hex'));
    }
  });

  it('encrypts and decrypts for sessions in turn, also when V8 has compiled the calls', () => {
    const sessions = [KEY, OTHER_KEY].map((key) => ({ key, cipher: cipherOf(key) }));
    for (let round = 0; round < 10_000; round += 1) {
      const payload = Buffer.alloc(round % 100, round);
      for (const { key, cipher } of sessions) {
        const bytes = encrypted(cipher, payload);
        const isSealed = opened(bytes, key).subarray(0, payload.length).equals(payload);
        if (!isSealed || !cipher.decrypt(bytes).equals(payload)) throw new Error(`payload ${round}`);
      }
    }
  });

  it('starts with the encrypted nonce, as in the test vectors of NIST SP 800-38A', () => {
    const ecb = createCipheriv('aes-128-ecb', KEY, null).setAutoPadding(false);
    expect(encrypted(cipherOf(KEY), Buffer.of(1)).subarray(0, 16)).toEqual(ecb.update(NONCE));
  });

  it('decrypts data encrypted by OpenSSL, independent of earlier payloads', () => {
    const cipher = cipherOf(KEY);
    const padded = Buffer.from('2018c88104013a010203040506070808', 'hex');
    for (let vector = 0; vector < 20; vector += 1) {
      expect(cipher.decrypt(sealed(Buffer.alloc(16, vector), padded)).toString('hex')).toBe('2018c88104013a');
    }
  });

  it.each([0, 1, 14, 15, 16, 31, 200, 5_000])(
    'decrypts %i bytes that it encrypted, with the predicted length',
    (length) => {
      const payload = Buffer.alloc(length, 0xa5);
      const bytes = encrypted(cipherOf(KEY), payload);
      expect(bytes).toHaveLength(encryptedLength(length));
      expect(cipherOf(KEY).decrypt(bytes)).toEqual(payload);
    },
  );

  it.each([0, 16, 31, 33])('rejects %i bytes', (length) => {
    expect(() => cipherOf(KEY).decrypt(Buffer.alloc(length))).toThrow(`encrypted payload of ${length} bytes`);
  });

  it.each([
    ['longer than the payload', '0102030405060708090a0b0c0d0e0f10'],
    ['of a whole block', '0102030405060708090a0b0c0d0e0f0f'.replace(/0f$/, '10')],
    ['not counting up', '2018c88104013a010203040506070909'],
    ['of zeros', '2018c88104013a000000000000000008'],
  ])('rejects a pad %s, and accepts the next payload', (_name, padded) => {
    const cipher = cipherOf(KEY);
    expect(() => cipher.decrypt(sealed(NONCE, Buffer.from(padded, 'hex')))).toThrow(/confidentiality pad/);
    const sound = Buffer.from('2018c88104013a010203040506070808', 'hex');
    expect(cipher.decrypt(sealed(NONCE, sound)).toString('hex')).toBe('2018c88104013a');
  });
});

it.each([
  ['a part of a block', KEY, 15],
  ['more than there is', KEY, 48],
  ['a key of another length', Buffer.alloc(24), 16],
])('native calls refuse %s', (_what, key, end) => {
  expect(() => native?.run(true, key, Buffer.alloc(32), 0, end)).toThrow(RangeError);
});
