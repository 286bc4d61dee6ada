import { describe, expect, it } from 'vitest';
import { at, clone, equal, parseJson } from './json.ts';

describe('parseJson', () => {
  it('does not let a __proto__ key change a prototype', () => {
    for (const key of ['__proto__', '\\u005f_proto__']) {
      const value = parseJson(`{"a":{"${key}":{"polluted":true}}}`);
      expect(at(value, 'a', 'polluted')).toBeUndefined();
      expect(Object.keys(at(value, 'a') as object)).toEqual([]);
    }
  });
});

describe('clone', () => {
  it('shares nothing with the original', () => {
    const original = { a: [{ b: 1 }] };
    const copy = clone(original);
    expect(copy).toEqual(original);
    expect(copy.a[0]).not.toBe(original.a[0]);
  });
});

describe('equal', () => {
  it('compares deeply and ignores the order of keys', () => {
    expect(equal({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toBe(true);
    expect(equal([1, 2], [2, 1])).toBe(false);
    expect(equal({ a: null }, {})).toBe(false);
    expect(equal({ a: undefined }, {})).toBe(true);
  });
});
