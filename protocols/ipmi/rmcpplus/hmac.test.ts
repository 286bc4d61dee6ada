import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cipherSuite } from './cipher-suite.ts';
import { Hmac } from './hmac.ts';

it("gives the codes of Node's HMAC, for keys and messages of all lengths", () => {
  const key = fc.uint8Array({ maxLength: 64 });
  const messages = fc.array(fc.uint8Array({ maxLength: 1_500, size: 'max' }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.constantFrom(3, 17), key, messages, fc.nat(20), (id, secret, several, start) => {
      const suite = cipherSuite(id);
      const hmac = new Hmac(suite, Buffer.from(secret));
      for (const message of several.map((bytes) => Buffer.from(bytes))) {
        const [from, to] = [Math.min(start, message.length), message.length];
        const expected = createHmac(suite.hash, secret).update(message.subarray(from, to)).digest('binary');
        expect(hmac.code(message, from, to)).toBe(expected);
      }
    }),
  );
});
