import { describe, expect, it } from 'vitest';
import { cipherSuite, type CipherSuiteId } from './cipher-suite.ts';
import {
  type KeyExchange,
  rakp2AuthCode,
  rakp3AuthCode,
  rakp4IntegrityCheck,
  sessionIntegrityKey,
  sessionKeys,
} from './keys.ts';
import { consoleSessionId, managedSessionId } from './session-id.ts';

function counting(start: number): Buffer {
  return Buffer.from(Array.from({ length: 16 }, (_, index) => start + index));
}

function exchange(id: CipherSuiteId, bmcKey?: Buffer): KeyExchange {
  return {
    suite: cipherSuite(id),
    consoleId: consoleSessionId(0xa0a2a3a4),
    managedId: managedSessionId(0x01020304),
    consoleRandom: counting(0),
    managedRandom: counting(16),
    guid: counting(32),
    role: 0x14,
    username: Buffer.from('admin'),
    userKey: Buffer.from('password'),
    bmcKey,
  };
}

/** Computed with another HMAC implementation, with the password padded to 20 bytes. */
const EXPECTED = {
  3: {
    rakp2: '911c9ccfd1afbe5001e677437b374d634c440154',
    rakp3: '4ab420258775814f120682c8ab9275c29997effd',
    sik: '122c77c4b11ccd93251cbae6c34a9cb6310da154',
    sikWithKg: '50536aa9094bab07152501503588ae0a9b5d0d0f',
    rakp4: '31dbe38a7d82ebd965fbd0a3',
    integrity: 'e4472be78f9a81fa68297aab696a7be8c97fc9f8',
    confidentiality: '2b6552012a2517cb3b5713901d757a6e',
  },
  17: {
    rakp2: 'f49dc6f13fbcb0b43ebce4a066756afc7d5bf3caefd436fb1fe8667347d81590',
    rakp3: '72a845290e0504673b2177d93a8dd844954778f3fe6b0476b2e7055a21663586',
    sik: 'e5935f7199865ad961063477b0662684e2ce9b1da8f2b8d41c5ce127d37e9bcf',
    sikWithKg: '1406a0bc23c8f090400ce287524d1b1a8d7111e004f999bb3494ec4f5bb1b5dd',
    rakp4: 'c6f81174312ba64fb0ef3c1efa13b44d',
    integrity: 'dc4fe73d075306f6897115dd63257385e845c10404fa1d73991790c6a101bec2',
    confidentiality: '2a4f969ea6dfa83066f36674fdc2fea2',
  },
};

describe.each([3, 17] as const)('keys of suite %i', (id) => {
  it('match the specification', () => {
    const sik = sessionIntegrityKey(exchange(id));
    const { integrity, confidentiality } = sessionKeys(cipherSuite(id), sik);
    const codes = {
      rakp2: rakp2AuthCode(exchange(id)),
      rakp3: rakp3AuthCode(exchange(id)),
      sik,
      sikWithKg: sessionIntegrityKey(exchange(id, Buffer.from('key'))),
      rakp4: rakp4IntegrityCheck(exchange(id), sik),
      integrity,
      confidentiality,
    };
    const hex = Object.fromEntries(Object.entries(codes).map(([name, code]) => [name, code.toString('hex')]));
    expect(hex).toEqual(EXPECTED[id]);
  });

  it('use K_G for the session and not for the password codes', () => {
    const withKg = exchange(id, Buffer.from('key'));
    expect(rakp2AuthCode(withKg)).toEqual(rakp2AuthCode(exchange(id)));
    expect(rakp3AuthCode(withKg)).toEqual(rakp3AuthCode(exchange(id)));
  });

  it('depend on the lookup bit of the role', () => {
    expect(rakp3AuthCode({ ...exchange(id), role: 0x04 })).not.toEqual(rakp3AuthCode(exchange(id)));
  });
});
