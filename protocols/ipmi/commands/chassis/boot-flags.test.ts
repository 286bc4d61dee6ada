import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BootOverride } from '../../../machine/index.ts';
import { decodeBootFlags, encodeBootFlags } from './boot-flags.ts';

const BOTH_WAYS: [string, BootOverride][] = [
  ['8004000000', { device: 'Pxe', persistence: 'Once' }],
  ['8008000000', { device: 'Hdd', persistence: 'Once' }],
  ['8014000000', { device: 'Cd', persistence: 'Once' }],
  ['8018000000', { device: 'BiosSetup', persistence: 'Once' }],
  ['803c000000', { device: 'Usb', persistence: 'Once' }],
  ['c004000000', { device: 'Pxe', persistence: 'Continuous' }],
  ['e004000000', { device: 'Pxe', persistence: 'Continuous', firmware: 'UEFI' }],
  ['8004000012', { device: 'Pxe', persistence: 'Once', instance: 2 }],
  ['c00800001f', { device: 'Hdd', persistence: 'Continuous', instance: 15 }],
];

const OVERRIDES: fc.Arbitrary<BootOverride> = fc.record(
  {
    device: fc.constantFrom('Pxe', 'Hdd', 'Cd', 'Usb', 'BiosSetup'),
    persistence: fc.constantFrom('Once', 'Continuous'),
    firmware: fc.constant('UEFI'),
    instance: fc.integer({ min: 1, max: 15 }),
  },
  { requiredKeys: ['device', 'persistence'] },
);

describe('boot flags', () => {
  it.each(BOTH_WAYS)('%s mean %o', (hex, override) => {
    expect(decodeBootFlags(Buffer.from(hex, 'hex'))).toEqual(override);
    expect(encodeBootFlags(override).toString('hex')).toBe(hex);
  });

  it('encode HTTP boot as a UEFI network boot', () => {
    const override = { device: 'UefiHttp', persistence: 'Once', firmware: 'UEFI', uri: 'http://10.0.0.1/x' } as const;
    expect(encodeBootFlags(override).toString('hex')).toBe('a004000000');
  });

  it('encode every override', () => {
    fc.assert(
      fc.property(OVERRIDES, (override) => {
        expect(decodeBootFlags(encodeBootFlags(override))).toEqual(override);
      }),
    );
  });

  it('accept an external device as an internal one, and instance 0 as any', () => {
    const flags = (selector: number): Buffer => Buffer.of(0x80, 0x04, 0, 0, selector);
    expect(decodeBootFlags(flags(0x03))).toEqual(decodeBootFlags(flags(0x13)));
    for (const none of [0x00, 0x10, 0xe0]) expect(decodeBootFlags(flags(none))).not.toHaveProperty('instance');
  });

  it('omit a device instance that they cannot encode', () => {
    const override: BootOverride = { device: 'Pxe', persistence: 'Once', instance: 16 };
    expect(encodeBootFlags(override).toString('hex')).toBe('8004000000');
  });

  it.each([
    ['no device', '8000000000'],
    ['no device and other bits', 'e082000000'],
    ['flags that are not valid', '0004000000'],
  ])('select nothing with %s', (_name, hex) => {
    expect(decodeBootFlags(Buffer.from(hex, 'hex'))).toBeUndefined();
  });

  it('are all zero without an override', () => {
    expect(encodeBootFlags(undefined).toString('hex')).toBe('0000000000');
  });

  it('encode legacy boot with a clear EFI bit', () => {
    expect(encodeBootFlags({ device: 'Pxe', persistence: 'Once', firmware: 'Legacy' }).toString('hex')).toBe(
      '8004000000',
    );
  });
});
