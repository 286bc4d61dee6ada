import { describe, expect, it } from 'vitest';
import { canonicalBytes } from './go-bytes.ts';
import { canonicalMicroTime, canonicalTime } from './go-time.ts';
import { canonicalQuantity } from './quantity.ts';

describe('a quantity', () => {
  it.each([
    ['0', '0'],
    ['1', '1'],
    ['0.5', '500m'],
    ['1000m', '1'],
    ['1000', '1k'],
    ['1e3', '1e3'],
    ['1500', '1500'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['512', '512'],
    ['0.5Ki', '512'],
    ['0.1n', '1n'],
    ['-0.5', '-500m'],
    ['+5', '5'],
    ['007', '7'],
    ['1.', '1'],
    ['.5', '500m'],
    ['1000000', '1M'],
    ['10Gi', '10Gi'],
    ['1E', '1E'],
    ['12E6', '12e6'],
  ])('%s is written as %s', (text, written) => {
    expect(canonicalQuantity(text)).toBe(written);
  });

  it.each([
    ['', 'quantities must match the regular expression'],
    ['x', 'quantities must match the regular expression'],
    ['1 Gi', 'quantities must match the regular expression'],
    ['1Kx', 'quantities must match the regular expression'],
    ['1ni', "unable to parse quantity's suffix"],
    ['1e', "unable to parse quantity's suffix"],
  ])('is not %j', (text, message) => {
    expect(() => canonicalQuantity(text)).toThrow(message);
  });
});

describe('a time', () => {
  it('is written in UTC and whole seconds, or with six decimals', () => {
    expect(canonicalTime('2024-02-29T12:00:00.9+02:00')).toBe('2024-02-29T10:00:00Z');
    expect(canonicalMicroTime('2024-02-29T12:00:00.123456+02:00')).toBe('2024-02-29T10:00:00.123456Z');
  });

  it.each([
    ['x', 'as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
    ['2024-02-29', 'as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
    ['2024-13-01T00:00:00Z', ': month out of range'],
    ['2023-02-29T00:00:00Z', ': day out of range'],
    ['2023-02-28T24:00:00Z', ': hour out of range'],
    ['2023-02-28T23:00:00Zx', ': extra text: "x"'],
  ])('is not %s', (text, message) => {
    expect(() => canonicalTime(text)).toThrow(message);
  });
});

describe('bytes', () => {
  it('are written without what Go skips', () => {
    expect(canonicalBytes('YW\nJj\r')).toBe('YWJj');
  });

  it.each([
    ['!!', 0],
    ['YQ', 0],
    ['YWJjYQ', 4],
    ['YW!j', 2],
    ['YQ=', 3],
    ['Y===', 1],
  ])('are not %j, from byte %i on', (text, byte) => {
    expect(() => canonicalBytes(text)).toThrow(`illegal base64 data at input byte ${byte}`);
  });
});
