import { describe, expect, it } from 'vitest';
import type { Schema } from '../schema/index.ts';
import { applyMergePatch, applyStrategicMergePatch } from './merge-patch.ts';

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

// contract/writes/strategic-merge-patch.suite.ts has the directives.
describe('a strategic merge patch', () => {
  const schema: Schema = {
    type: 'object',
    properties: {
      containers: {
        type: 'array',
        'x-kubernetes-patch-strategy': 'merge',
        'x-kubernetes-patch-merge-key': 'name',
        items: { type: 'object', properties: { name: { type: 'string' }, image: { type: 'string' } } },
      },
    },
  };

  it('keeps a list as it is if the object has none', () => {
    const twice = ['a:1', 'a:2'].map((image) => ({ name: 'a', image }));
    expect(applyStrategicMergePatch({}, { containers: twice }, schema)).toEqual({ containers: twice });
  });

  it('is refused with the message of kube-apiserver if an item has no key', () => {
    const object = { containers: [{ name: 'a', image: 'a:1' }] };
    expect(() => applyStrategicMergePatch(object, { containers: [{ image: 'x' }] }, schema)).toThrow(
      expect.objectContaining({
        code: 500,
        message: 'map: {"image":"x"} does not contain declared merge key: name',
      }) as Error,
    );
  });
});
