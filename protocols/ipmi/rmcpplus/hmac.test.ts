import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cipherSuite, type CipherSuiteId } from './cipher-suite.ts';
import { Hmac } from './hmac.ts';
import { NativeHash } from './native-hash.ts';

const native = NativeHash.open();

it('these tests have native calls', () => {
  expect(native).toBeInstanceOf(NativeHash);
});

it.each([
  ['with native calls', native],
  ['with node:crypto', 'none'],
] as const)("gives the codes of Node's HMAC, for keys and messages of all lengths in turn, %s", (_how, way) => {
  const suites = fc.constantFrom<CipherSuiteId>(3, 17);
  const keys = fc.array(fc.tuple(suites, fc.uint8Array({ maxLength: 64 })), { minLength: 1, maxLength: 3 });
  const messages = fc.array(fc.uint8Array({ maxLength: 3_000, size: 'max' }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(keys, messages, fc.nat(100), (pairs, several, start) => {
      const codes = pairs.map(([id, key]) => ({ suite: cipherSuite(id), key }));
      const hmacs = codes.map(({ suite, key }) => new Hmac(suite, Buffer.from(key), way));
      for (const message of several.map((bytes) => Buffer.from(bytes))) {
        const [from, to] = [Math.min(start, message.length), message.length];
        for (const [at, { suite, key }] of codes.entries()) {
          const expected = createHmac(suite.hash, key).update(message.subarray(from, to)).digest();
          expect(hmacs[at]?.code(message, from, to)).toEqual(expected);
        }
      }
    }),
  );
});

it('gives the same codes when V8 has compiled the calls', () => {
  const key = Buffer.alloc(20, 7);
  for (const suite of [cipherSuite(3), cipherSuite(17)]) {
    const hmac = new Hmac(suite, key);
    for (let length = 0; length < 20_000; length += 1) {
      const message = Buffer.alloc(length % 200, length);
      const expected = createHmac(suite.hash, key).update(message).digest();
      if (!hmac.code(message).equals(expected)) throw new Error(`${suite.hash} of message ${length}`);
    }
  }
});

it('refuses a key that is longer than a block', () => {
  expect(() => new Hmac(cipherSuite(17), Buffer.alloc(65))).toThrow('an HMAC key of 65 bytes');
});

it('hashes no bytes behind the end of a message', () => {
  const state = native?.begin('sha1', Buffer.alloc(64));
  expect(() => native?.end('sha1', state ?? Buffer.alloc(0), Buffer.alloc(4), 0, 5)).toThrow(RangeError);
});
