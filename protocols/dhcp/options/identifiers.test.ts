import { describe, expect, it } from 'vitest';
import { mac } from '../testing/test-network.ts';
import {
  architectureName,
  decodeArchitectures,
  decodeClientIdentifier,
  decodeMachineIdentifier,
  decodeUserClasses,
  encodeArchitectures,
  encodeHardwareIdentifier,
  encodeMachineIdentifier,
} from './identifiers.ts';

function decode(hex: string): unknown {
  return decodeClientIdentifier(Buffer.from(hex, 'hex'));
}

describe('a client identifier', () => {
  const macAddress = mac('52:54:00:12:34:56');

  it('encodes and decodes a hardware address that contains a zero', () => {
    expect(Buffer.from(encodeHardwareIdentifier(macAddress)).toString('hex')).toBe('01525400123456');
    expect(decode('01525400123456')).toEqual({ kind: 'hardware', macAddress });
  });

  it('has an IAID before a DUID', () => {
    expect(decode('ff00000001000200')).toEqual({ kind: 'duid', iaid: 1, duid: Buffer.from('000200', 'hex') });
  });

  it.each([
    ['00766d', 0, '766d'],
    ['015254', 1, '5254'],
    ['ff00000001', 255, '00000001'],
  ])('%s has another type', (hex, type, value) => {
    expect(decode(hex)).toEqual({ kind: 'other', type, value: Buffer.from(value, 'hex') });
  });

  it.each(['', '01'])('requires at least two bytes: %j', (hex) => {
    expect(decode(hex)).toBeUndefined();
  });
});

describe('the machine identifier', () => {
  const uuid = Buffer.from('0123456789abcdef0123456789abcdef', 'hex');

  it('encodes and decodes', () => {
    expect(Buffer.from(encodeMachineIdentifier(uuid)).toString('hex')).toBe(`00${uuid.toString('hex')}`);
    expect(decodeMachineIdentifier(encodeMachineIdentifier(uuid))).toEqual(uuid);
  });

  it.each(['', '00', `01${'00'.repeat(16)}`, '00'.repeat(18)])('rejects another type or length: %s', (hex) => {
    expect(decodeMachineIdentifier(Buffer.from(hex, 'hex'))).toBeUndefined();
  });
});

it.each([
  ['', []],
  ['0000', [0]],
  ['00070009', [7, 9]],
])('architectures: encodes and decodes %s', (hex, architectures) => {
  expect(decodeArchitectures(Buffer.from(hex, 'hex'))).toEqual(architectures);
  expect(Buffer.from(encodeArchitectures(architectures)).toString('hex')).toBe(hex);
});

it('architectures: rejects an odd number of bytes', () => {
  expect(decodeArchitectures(Uint8Array.of(0, 7, 0))).toBeUndefined();
});

it.each([
  [0, 'x86 BIOS'],
  [7, 'x64 UEFI'],
  [4_711, 'architecture 4711'],
])('architecture %i is named %s', (architecture, name) => {
  expect(architectureName(architecture)).toBe(name);
});

it.each([
  ['\x04iPXE\x01a', ['iPXE', 'a']],
  ['iPXE', ['iPXE']],
  ['', []],
  ['\x09iPXE', ['\x09iPXE']],
  ['\x00', ['']],
])('user classes are decoded with and without lengths: %j', (text, classes) => {
  expect(decodeUserClasses(Buffer.from(text))).toEqual(classes);
});
