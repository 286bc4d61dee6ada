import { describe, expect, it } from 'vitest';
import { PacketError, requireBytes } from './packet-error.ts';

describe('PacketError', () => {
  it('has no stack trace, and other errors keep theirs', () => {
    const error = new PacketError('Malformed', 'a field is short');
    expect(error.stack ?? '').not.toContain('\n    at ');
    expect(new Error('another').stack).toContain('\n    at ');
  });

  it('names the short field and the number of bytes', () => {
    expect(() => {
      requireBytes(Buffer.alloc(3), 4, 'RMCP header');
    }).toThrow('RMCP header needs 4 bytes, the packet has 3');
  });
});
