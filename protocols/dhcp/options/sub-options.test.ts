import { describe, expect, it } from 'vitest';
import { decodeRelayAgent } from './relay-agent.ts';
import { decodeSubOptions, encodeSubOptions } from './sub-options.ts';

describe('options in an option', () => {
  const parts = [
    { code: 1, value: Buffer.from('eth0') },
    { code: 2, value: Buffer.alloc(0) },
  ];

  it('go both ways', () => {
    expect(Buffer.from(encodeSubOptions(parts)).toString('hex')).toBe('0104657468300200');
    expect(decodeSubOptions(Buffer.from('0104657468300200', 'hex'))).toEqual(parts);
  });

  it('of vendors have pads and an end', () => {
    const value = Buffer.from('0006010800ff0102', 'hex');
    expect(decodeSubOptions(value, true)).toEqual([{ code: 6, value: Buffer.of(8) }]);
    expect(decodeSubOptions(value)).toHaveLength(1);
  });

  it.each(['01', '0102', '010461'])('are none where one is cut off: %s', (hex) => {
    expect(decodeSubOptions(Buffer.from(hex, 'hex'))).toBeUndefined();
  });
});

describe('what a relay agent asks for', () => {
  it.each([
    ['', { wantsSourcePort: false }],
    ['0101aa', { wantsSourcePort: false }],
    ['05040a000000', { wantsSourcePort: false, linkSelection: 0x0a000000 }],
    ['0b040a000001', { wantsSourcePort: false, serverIdOverride: 0x0a000001 }],
    ['1300', { wantsSourcePort: true }],
    ['05030a00000b00', { wantsSourcePort: false }],
  ])('%s', (hex, expected) => {
    expect(decodeRelayAgent(Buffer.from(hex, 'hex'))).toEqual(expected);
  });

  it('is nothing where it is cut off', () => {
    expect(decodeRelayAgent(Buffer.from('05', 'hex'))).toBeUndefined();
  });
});
