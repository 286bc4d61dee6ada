import { describe, expect, it } from 'vitest';
import { decodeRakp1, encodeRakp1 } from './rakp1.ts';
import { managedSessionId } from './session-id.ts';

const RANDOM = '101112131415161718191a1b1c1d1e1f';
const HEAD = `0700000004030201${RANDOM}140000`;

describe('RAKP Message 1', () => {
  const message = {
    tag: 7,
    managedId: managedSessionId(0x01020304),
    consoleRandom: Buffer.from(RANDOM, 'hex'),
    role: 0x14,
    username: Buffer.from('admin'),
  };

  it('contains session, random number, role and name', () => {
    const hex = `${HEAD}0561646d696e`;
    expect(encodeRakp1(message).toString('hex')).toBe(hex);
    expect(decodeRakp1(Buffer.from(hex, 'hex'))).toEqual({ ...message, nameLength: 5 });
  });

  it('may have no name', () => {
    expect(decodeRakp1(Buffer.from(`${HEAD}00`, 'hex')).username).toHaveLength(0);
  });

  it.each([17, 227, 228, 255])('does not read a name of %i bytes', (length) => {
    const payload = Buffer.concat([Buffer.from(HEAD, 'hex'), Buffer.of(length), Buffer.alloc(16)]);
    expect(decodeRakp1(payload)).toMatchObject({ nameLength: length, username: Buffer.alloc(0) });
  });

  it.each([
    ['', /RAKP Message 1 needs 28 bytes/],
    [HEAD, /RAKP Message 1 needs 28 bytes/],
    [`${HEAD}0561646d69`, /user name of RAKP Message 1 needs 33 bytes/],
  ])('names the truncated field in %j', (hex, error) => {
    expect(() => decodeRakp1(Buffer.from(hex, 'hex'))).toThrow(error);
  });
});
