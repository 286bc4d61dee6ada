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

const schema: Schema = {
  type: 'object',
  properties: {
    containers: {
      type: 'array',
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          image: { type: 'string' },
          args: { type: 'array', items: { type: 'string' } },
        },
      },
    },
    finalizers: { type: 'array', 'x-kubernetes-patch-strategy': 'merge', items: { type: 'string' } },
    strategy: { type: 'object', 'x-kubernetes-patch-strategy': 'retainKeys', properties: {} },
  },
};
const containers = [
  { name: 'a', image: 'a:1', args: ['x'] },
  { name: 'b', image: 'b:1' },
];
const apply = (patch: Parameters<typeof applyStrategicMergePatch>[1], target = { containers, finalizers: ['x'] }) =>
  applyStrategicMergePatch(target, patch, schema);

describe('a strategic merge patch', () => {
  it('takes a list as it is where there is none', () => {
    const twice = [
      { name: 'a', image: 'a:1' },
      { name: 'a', image: 'a:2' },
    ];
    expect(applyStrategicMergePatch({}, { containers: twice }, schema)).toEqual({ containers: twice });
  });

  it('merges items of a list by their key and replaces other lists', () => {
    expect(apply({ containers: [{ name: 'a', args: ['y'] }] })['containers']).toEqual([
      { name: 'a', image: 'a:1', args: ['y'] },
      containers[1],
    ]);
  });

  it('puts items that are not there first, and members of sets only once', () => {
    expect(apply({ containers: [{ name: 'c' }], finalizers: ['x', 'y'] })).toEqual({
      containers: [{ name: 'c' }, ...containers],
      finalizers: ['x', 'y'],
    });
  });

  it('deletes an item, or puts a list in the place of the whole', () => {
    expect(apply({ containers: [{ name: 'a', $patch: 'delete' }] })['containers']).toEqual([containers[1]]);
    expect(apply({ containers: [{ name: 'c' }, { $patch: 'replace' }] })['containers']).toEqual([{ name: 'c' }]);
  });

  it('deletes members of a set', () => {
    expect(apply({ '$deleteFromPrimitiveList/finalizers': ['x'] })['finalizers']).toEqual([]);
  });

  it('orders items as asked', () => {
    const order = [{ name: 'b' }, { name: 'a' }];
    expect(
      apply({ '$setElementOrder/containers': order, containers: [{ name: 'a', image: 'a:2' }] })['containers'],
    ).toEqual([containers[1], { ...containers[0], image: 'a:2' }]);
  });

  it('keeps only the keys that are to be retained', () => {
    const target = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } };
    expect(applyStrategicMergePatch(target, { strategy: { $retainKeys: ['type'], type: 'Recreate' } }, schema)).toEqual(
      { strategy: { type: 'Recreate' } },
    );
  });

  it('removes what is null', () => {
    expect(apply({ finalizers: null })).toEqual({ containers });
  });

  it('fails as the real one does when an item has no key', () => {
    expect(() => apply({ containers: [{ image: 'x' }] })).toThrow(
      expect.objectContaining({
        code: 500,
        message: 'map: {"image":"x"} does not contain declared merge key: name',
      }) as Error,
    );
  });
});
