import { describe, expect, it } from 'vitest';
import type { BootOverride } from '../../../machine/index.ts';
import { decodeBootFlags, encodeBootFlags } from './boot-flags.ts';

const BOTH_WAYS: [string, BootOverride][] = [
  ['8004000000', { device: 'Pxe', persistence: 'Once' }],
  ['8008000000', { device: 'Hdd', persistence: 'Once' }],
  ['8014000000', { device: 'Cd', persistence: 'Once' }],
  ['8018000000', { device: 'BiosSetup', persistence: 'Once' }],
  ['c004000000', { device: 'Pxe', persistence: 'Continuous' }],
  ['e004000000', { device: 'Pxe', persistence: 'Continuous', firmware: 'UEFI' }],
];

describe('boot flags', () => {
  it.each(BOTH_WAYS)('%s mean %o', (hex, override) => {
    expect(decodeBootFlags(Buffer.from(hex, 'hex'))).toEqual(override);
    expect(encodeBootFlags(override).toString('hex')).toBe(hex);
  });

  it.each([
    ['no device', '8000000000'],
    ['no device, whatever else', 'e082000000'],
    ['flags that are not valid', '0004000000'],
  ])('ask for nothing with %s', (_name, hex) => {
    expect(decodeBootFlags(Buffer.from(hex, 'hex'))).toBeUndefined();
  });

  it('are all zero for nothing', () => {
    expect(encodeBootFlags(undefined).toString('hex')).toBe('0000000000');
  });

  it('say legacy with the EFI bit clear', () => {
    expect(encodeBootFlags({ device: 'Pxe', persistence: 'Once', firmware: 'Legacy' }).toString('hex')).toBe(
      '8004000000',
    );
  });

  it.each([
    ['safe mode', 3],
    ['diagnostic partition', 4],
    ['floppy', 15],
  ])('refuse the %s', (_name, device) => {
    expect(() => decodeBootFlags(Buffer.of(0x80, device << 2, 0, 0, 0))).toThrow(
      expect.objectContaining({ completionCode: 0xcc }),
    );
  });
});
