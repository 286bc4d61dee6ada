import { describe, expect, it } from 'vitest';
import { canonicalMac } from './mac-address.ts';

describe('a MAC address', () => {
  it.each(['52:54:00:AB:cd:ef', '52-54-00-AB-CD-EF', '5254.00ab.cdef', '525400abcdef', ' 52:54:00:ab:cd:ef '])(
    'has one canonical form: %s',
    (text) => {
      expect(canonicalMac(text)).toBe('52:54:00:ab:cd:ef');
    },
  );

  it.each([
    '',
    '52:54:00:ab:cd',
    '52:54:00:ab:cd:ef:00',
    '52:54-00:ab:cd:ef',
    '52:54:00:ab:cd:eg',
    '5254:00ab:cdef',
    '52540:0abcdef',
  ])('is invalid: %j', (text) => {
    expect(canonicalMac(text)).toBeUndefined();
  });
});
