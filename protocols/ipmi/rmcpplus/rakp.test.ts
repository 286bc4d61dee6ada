import { describe, expect, it } from 'vitest';
import {
  decodeRakp1,
  decodeRakp2,
  decodeRakp3,
  decodeRakp4,
  encodeRakp1,
  encodeRakp2,
  encodeRakp3,
  encodeRakp4,
} from './rakp.ts';
import { consoleSessionId, managedSessionId } from './session-id.ts';

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

describe('RAKP Message 3', () => {
  it.each([
    [
      'the authentication code',
      { tag: 7, status: 0, authCode: Buffer.alloc(20, 0x33) },
      `0700000004030201${'33'.repeat(20)}`,
    ],
    ['the error status of the client', { tag: 7, status: 0x0f, authCode: Buffer.alloc(0) }, '070f000004030201'],
  ])('contains %s', (_name, fields, hex) => {
    const message = { ...fields, managedId: managedSessionId(0x01020304) };
    expect(encodeRakp3(message).toString('hex')).toBe(hex);
    expect(decodeRakp3(Buffer.from(hex, 'hex'))).toEqual(message);
  });

  it.each([0, 7])('rejects %i bytes as too short', (length) => {
    expect(() => decodeRakp3(Buffer.alloc(length))).toThrow(/RAKP Message 3 needs 8 bytes/);
  });
});

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
