import { describe, expect, it } from 'vitest';
import { applyJsonPatch, jsonPatchOperations } from './json-patch.ts';

describe('a JSON patch', () => {
  it('adds, replaces, removes, copies and moves, in order', () => {
    const patched = applyJsonPatch({ a: 1, list: ['x', 'z'] }, [
      { op: 'add', path: '/list/1', value: 'y' },
      { op: 'replace', path: '/a', value: 2 },
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'move', from: '/b', path: '/c' },
      { op: 'add', path: '/list/-', value: 'end' },
      { op: 'remove', path: '/list/0' },
    ]);
    expect(patched).toEqual({ a: 2, c: 2, list: ['y', 'z', 'end'] });
  });

  it('leaves the object alone', () => {
    const object = { a: { b: 1 } };
    applyJsonPatch(object, [{ op: 'replace', path: '/a/b', value: 2 }]);
    expect(object).toEqual({ a: { b: 1 } });
  });

  it('reads ~1 and ~0 in paths', () => {
    expect(applyJsonPatch({ m: {} }, [{ op: 'add', path: '/m/a~1b~0c', value: 1 }])).toEqual({ m: { 'a/b~c': 1 } });
  });

  it('replaces what is absent, as kube-apiserver does', () => {
    expect(applyJsonPatch({ m: {} }, [{ op: 'replace', path: '/m/a', value: 1 }])).toEqual({ m: { a: 1 } });
  });

  it.each([
    [{ op: 'test', path: '/a', value: 2 }],
    [{ op: 'remove', path: '/missing' }],
    [{ op: 'add', path: '/missing/child', value: 1 }],
    [{ op: 'add', path: '/list/7', value: 1 }],
    [{ op: 'nope', path: '/a' }],
    [{ op: 'add', path: '/__proto__/polluted', value: 1 }],
  ])('%j does not apply: 422', (operation) => {
    expect(() => applyJsonPatch({ a: 1, list: [] }, [operation])).toThrow(
      expect.objectContaining({ code: 422 }) as Error,
    );
  });

  it('counts from the end below zero, as kube-apiserver does', () => {
    expect(applyJsonPatch({ list: [1, 2, 3] }, [{ op: 'remove', path: '/list/-1' }])).toEqual({ list: [1, 2] });
  });

  it.each([[{ op: 'add' }], [['add']]])('%j is none: 400', (patch) => {
    expect(() => jsonPatchOperations(patch)).toThrow(expect.objectContaining({ code: 400 }) as Error);
  });
});
