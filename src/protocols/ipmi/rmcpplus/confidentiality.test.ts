import { createCipheriv, createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decryptPayload, encryptedLength, encryptPayload } from './confidentiality.ts';

const KEY = createSecretKey(Buffer.alloc(16, 0x22));
const VECTOR = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');

describe('AES-CBC-128', () => {
  it('encrypts as OpenSSL does, behind the initialization vector', () => {
    expect(encryptPayload(KEY, VECTOR, Buffer.from('2018c88104013a', 'hex')).toString('hex')).toBe(
      '000102030405060708090a0b0c0d0e0f99276dd044df1ee431cb4206aae99ead',
    );
  });

  it.each([0, 1, 14, 15, 16, 31, 200])('gives %i bytes back, in the length foretold', (length) => {
    const payload = Buffer.alloc(length, 0xa5);
    const encrypted = encryptPayload(KEY, VECTOR, payload);
    expect(encrypted).toHaveLength(encryptedLength(length));
    expect(decryptPayload(KEY, encrypted)).toEqual(payload);
  });

  it.each([0, 16, 31, 33])('refuses %i bytes', (length) => {
    expect(() => decryptPayload(KEY, Buffer.alloc(length))).toThrow(`encrypted payload of ${length} bytes`);
  });

  it.each([
    ['longer than the payload', '0102030405060708090a0b0c0d0e0f10'],
    ['of a whole block', '0102030405060708090a0b0c0d0e0f0f'.replace(/0f$/, '10')],
    ['not counting up', '2018c88104013a010203040506070909'],
    ['of zeros', '2018c88104013a000000000000000008'],
  ])('refuses a pad %s', (_name, padded) => {
    const cipher = createCipheriv('aes-128-cbc', KEY, VECTOR).setAutoPadding(false);
    const encrypted = Buffer.concat([VECTOR, cipher.update(padded, 'hex'), cipher.final()]);
    expect(() => decryptPayload(KEY, encrypted)).toThrow(/confidentiality pad/);
  });
});
