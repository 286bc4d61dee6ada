import { describe, expect, it } from 'vitest';
import { decodeRelayAgent, decodeSubOptions, encodeSubOptions } from './sub-options.ts';

describe('sub-options', () => {
  const parts = [
    { code: 1, value: Buffer.from('eth0') },
    { code: 2, value: Buffer.alloc(0) },
  ];

  it('encode and decode', () => {
    expect(Buffer.from(encodeSubOptions(parts)).toString('hex')).toBe('0104657468300200');
    expect(decodeSubOptions(Buffer.from('0104657468300200', 'hex'))).toEqual(parts);
  });

  it('accept pads and an end in vendor options', () => {
    const value = Buffer.from('0006010800ff0102', 'hex');
    expect(decodeSubOptions(value, true)).toEqual([{ code: 6, value: Buffer.of(8) }]);
    expect(decodeSubOptions(value)).toHaveLength(1);
  });

  it.each(['01', '0102', '010461'])('reject a truncated sub-option: %s', (hex) => {
    expect(decodeSubOptions(Buffer.from(hex, 'hex'))).toBeUndefined();
  });
});

describe('relay agent information', () => {
  it.each([
    ['', { wantsSourcePort: false }],
    ['0101aa', { wantsSourcePort: false }],
    ['05040a000000', { wantsSourcePort: false, linkSelection: 0x0a000000 }],
    ['0b040a000001', { wantsSourcePort: false, serverIdOverride: 0x0a000001 }],
    ['1300', { wantsSourcePort: true }],
    ['05030a00000b00', { wantsSourcePort: false }],
  ])('reads %s', (hex, expected) => {
    expect(decodeRelayAgent(Buffer.from(hex, 'hex'))).toEqual(expected);
  });

  it('is undefined if truncated', () => {
    expect(decodeRelayAgent(Buffer.from('05', 'hex'))).toBeUndefined();
  });
});
