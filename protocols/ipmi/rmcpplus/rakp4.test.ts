import { describe, expect, it } from 'vitest';
import { decodeRakp4, encodeRakp4 } from './rakp4.ts';
import { consoleSessionId } from './session-id.ts';

describe('RAKP Message 4', () => {
  it('contains session and integrity check value', () => {
    const message = { tag: 7, consoleId: consoleSessionId(0xa0a2a3a4), integrityCheck: Buffer.alloc(12, 0x44) };
    const hex = `07000000a4a3a2a0${'44'.repeat(12)}`;
    expect(encodeRakp4(message).toString('hex')).toBe(hex);
    expect(decodeRakp4(Buffer.from(hex, 'hex'))).toEqual(message);
  });

  it.each([0, 7])('rejects %i bytes as too short', (length) => {
    expect(() => decodeRakp4(Buffer.alloc(length))).toThrow(/RAKP Message 4 needs 8 bytes/);
  });
});
