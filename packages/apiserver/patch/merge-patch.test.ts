import { describe, expect, it } from 'vitest';
import { applyMergePatch } from './merge-patch.ts';

describe('a merge patch', () => {
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: ['c'] }, { a: ['c'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: 'foo' }, { a: { b: 1 } }, { a: { b: 1 } }],
  ])('RFC 7386: %j with %j gives %j', (target, patch, result) => {
    expect(applyMergePatch(target, patch)).toEqual(result);
  });
});
