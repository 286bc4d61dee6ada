import { describe, expect, it } from 'vitest';
import { formatOption, optionName, OPTIONS } from './catalogue.ts';
import { OPTION } from './option-code.ts';

describe('the option catalogue', () => {
  it.each(Object.entries(OPTION).filter(([, code]) => code > 0 && code < 255))('contains %s', (_name, code) => {
    expect(OPTIONS.get(code)?.name).toMatch(/^[a-z0-9-]+$/);
  });

  it('has unique names', () => {
    const names = [...OPTIONS.values()].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('names an unknown option by its number', () => {
    expect(optionName(6)).toBe('domain-name-servers');
    expect(optionName(224)).toBe('option 224');
  });
});

describe('formatOption', () => {
  it.each<[number, string, string]>([
    [1, 'ffffff00', '255.255.255.0'],
    [6, '0808080801010101', '8.8.8.8, 1.1.1.1'],
    [12, '766d2d31', 'vm-1'],
    [19, '00', 'no'],
    [19, '01', 'yes'],
    [26, '05aa', '1450'],
    [33, '0a0000010a0000fe', '10.0.0.1 via 10.0.0.254'],
    [43, '060108ff', '6=08'],
    [51, '0000a8c0', '43200 s'],
    [53, '05', 'ACK'],
    [55, '010306', '1, 3, 6'],
    [60, '505845', 'PXE'],
    [61, '01525400123456', '52:54:00:12:34:56'],
    [61, 'ff00000001000200', 'IAID 1, DUID 00:02:00'],
    [61, '00766d', '00:76:6d'],
    [77, '0469505845', 'iPXE'],
    [80, '', 'yes'],
    [81, '04000002766d036c616e00', 'vm.lan (flags 4)'],
    [82, '0104657468300201aa', '1=65:74:68:30 2=aa'],
    [93, '00070000', 'x64 UEFI, x86 BIOS'],
    [94, '010310', 'UNDI 3.16'],
    [94, '020100', 'type 2 1.0'],
    [97, `00${'0123456789abcdef'.repeat(2)}`, '01234567-89ab-cdef-0123-456789abcdef'],
    [119, '0161036c616e00', 'a.lan'],
    [121, '180a00000a0000fe', '10.0.0.0/24 via 10.0.0.254'],
    [224, 'cafe', 'ca:fe'],
  ])('formats option %i', (code, hex, expected) => {
    expect(formatOption(code, Buffer.from(hex, 'hex'))).toBe(expected);
  });

  it.each<[number, string]>([
    [1, 'ffff'],
    [19, '0001'],
    [26, '000000'],
    [33, '0a'],
    [43, '06'],
    [51, '00'],
    [53, '0000'],
    [81, '04'],
    [82, '01'],
    [93, '00'],
    [94, '01'],
    [97, '00'],
    [119, '03'],
    [121, '20'],
  ])('prints an invalid value as bytes: option %i', (code, hex) => {
    expect(formatOption(code, Buffer.from(hex, 'hex'))).toBe(hex.replace(/..(?=.)/g, '$&:'));
  });

  it.each([12, 77, 119])('escapes control characters, which would affect a terminal: option %i', (code) => {
    const value = code === 119 ? '031b5b6d00' : '1b5b6d';
    expect(formatOption(code, Buffer.from(value, 'hex'))).toBe('\\x1b[m');
  });
});
