import { describe, expect, it } from 'vitest';
import { decodeRakp3, encodeRakp3 } from './rakp3.ts';
import { managedSessionId } from './session-id.ts';

describe('RAKP Message 3', () => {
  it.each([
    ['the proof', { tag: 7, status: 0, authCode: Buffer.alloc(20, 0x33) }, `0700000004030201${'33'.repeat(20)}`],
    ['why the client gives up', { tag: 7, status: 0x0f, authCode: Buffer.alloc(0) }, '070f000004030201'],
  ])('contains %s', (_name, fields, hex) => {
    const message = { ...fields, managedId: managedSessionId(0x01020304) };
    expect(encodeRakp3(message).toString('hex')).toBe(hex);
    expect(decodeRakp3(Buffer.from(hex, 'hex'))).toEqual(message);
  });

  it.each([0, 7])('rejects %i bytes as too short', (length) => {
    expect(() => decodeRakp3(Buffer.alloc(length))).toThrow(/RAKP Message 3 needs 8 bytes/);
  });
});
