import { describe, expect, it } from 'vitest';
import type { BootOverride } from '../../../../protocols/machine/index.ts';
import { describeOverride } from './requested-override.ts';

describe('the description of an override', () => {
  it.each<[BootOverride, string]>([
    [{ device: 'Pxe', persistence: 'Once' }, 'boot once from the network'],
    [{ device: 'Hdd', persistence: 'Continuous', instance: 2 }, 'boot always from disk (disk 2)'],
    [{ device: 'Cd', persistence: 'Once', firmware: 'UEFI' }, 'boot once from CD with UEFI firmware'],
    [{ device: 'BiosSetup', persistence: 'Once' }, "boot once with the firmware's 10 s prompt for its setup"],
    [{ device: 'UefiHttp', persistence: 'Once', instance: 1 }, 'boot once over HTTP (interface 1)'],
    [
      { device: 'UefiHttp', persistence: 'Once', uri: 'https://a:b@[2001:db8::1]:8443/x?token=c' },
      'boot once over HTTP from https://[2001:db8::1]:8443/x',
    ],
    [{ device: 'UefiHttp', persistence: 'Once', uri: 'nonsense' }, 'boot once over HTTP from an invalid URI'],
  ])('of %o is "%s"', (override, words) => {
    expect(describeOverride(override)).toBe(words);
  });
});
