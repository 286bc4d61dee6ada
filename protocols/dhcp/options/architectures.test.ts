import { expect, it } from 'vitest';
import { architectureName, decodeArchitectures, encodeArchitectures } from './architectures.ts';

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
