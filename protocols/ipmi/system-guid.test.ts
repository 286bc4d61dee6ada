import { describe, expect, it } from 'vitest';
import { systemGuid } from './commands/device/guids.ts';

describe('systemGuid', () => {
  it('encodes the least significant byte first', () => {
    expect(systemGuid('5d307ca9-b3ef-428c-8861-06e72d69f223').toString('hex')).toBe('23f2692de70661888c42efb3a97c305d');
  });

  it.each([undefined, '', '5d307ca9', 'zd307ca9-b3ef-428c-8861-06e72d69f223'])('is all zero for %j', (uuid) => {
    expect(systemGuid(uuid)).toEqual(Buffer.alloc(16));
  });
});
