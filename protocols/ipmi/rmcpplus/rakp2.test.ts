import { describe, expect, it } from 'vitest';
import { decodeRakp2, encodeRakp2 } from './rakp2.ts';
import { consoleSessionId } from './session-id.ts';

describe('RAKP Message 2', () => {
  const message = {
    tag: 7,
    consoleId: consoleSessionId(0xa0a2a3a4),
    managedRandom: Buffer.alloc(16, 0x11),
    guid: Buffer.alloc(16, 0x22),
    authCode: Buffer.alloc(20, 0x33),
  };

  it('contains session, random number, GUID and authentication code', () => {
    const hex = `07000000a4a3a2a0${'11'.repeat(16)}${'22'.repeat(16)}${'33'.repeat(20)}`;
    expect(encodeRakp2(message).toString('hex')).toBe(hex);
    expect(decodeRakp2(Buffer.from(hex, 'hex'))).toEqual(message);
  });

  it.each([0, 39])('rejects %i bytes as too short', (length) => {
    expect(() => decodeRakp2(Buffer.alloc(length))).toThrow(/RAKP Message 2 needs 40 bytes/);
  });
});
