import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
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
      { op: 'test', path: '/c', value: 2 },
    ]);
    expect(patched).toEqual({ a: 2, c: 2, list: ['y', 'z', 'end'] });
  });

  it('does not change the original object, even through a copy', () => {
    const object = { a: { b: 1 } };
    const patched = applyJsonPatch(object, [
      { op: 'copy', from: '/a', path: '/c' },
      { op: 'replace', path: '/c/b', value: 2 },
    ]);
    expect([object, patched]).toEqual([{ a: { b: 1 } }, { a: { b: 1 }, c: { b: 2 } }]);
  });

  it('reads ~1 and ~0 in paths', () => {
    expect(applyJsonPatch({ m: {} }, [{ op: 'add', path: '/m/a~1b~0c', value: 1 }])).toEqual({ m: { 'a/b~c': 1 } });
  });

  it('tests a missing member for null, as virt-api does before it adds the member', () => {
    const operation = { op: 'test', path: '/status/requests', value: null };
    expect(applyJsonPatch({ status: {} }, [operation])).toEqual({ status: {} });
    expect(() => applyJsonPatch({ status: { requests: [] } }, [operation])).toThrow(/rejected/);
    expect(() => applyJsonPatch({}, [operation])).toThrow(/rejected/);
  });

  it.each<JsonObject>([
    { op: 'test', path: '/a', value: 2 },
    { op: 'remove', path: '/missing' },
    { op: 'replace', path: '/missing', value: 1 },
    { op: 'add', path: '/missing/child', value: 1 },
    { op: 'move', from: '/missing', path: '/b' },
    { op: 'move', from: '/a', path: '/missing/child' },
    { op: 'add', path: '/list/7', value: 1 },
    { op: 'add', path: '/list/length', value: 9 },
    { op: 'remove', path: '/list/-1' },
    { op: 'add', path: 'a', value: 1 },
    { op: 'add', value: 1 },
    { op: 'nope', path: '/a' },
    { op: 'toString', path: '/a' },
    { op: '_get', path: '/a' },
  ])('%j does not apply: 422', (operation) => {
    expect(() => applyJsonPatch({ a: 1, list: [] }, [operation])).toThrow(
      expect.objectContaining({ code: 422 }) as Error,
    );
  });

  it.each(['/__proto__/polluted', '/constructor/polluted', '/toString/polluted', '/~0/../__proto__/polluted'])(
    'changes no prototype: %s',
    (path) => {
      for (const operation of [
        { op: 'add', path, value: 1 },
        { op: 'copy', from: path.replace('/polluted', ''), path: '/b' },
        { op: 'move', from: '/a', path },
      ])
        expect(() => applyJsonPatch({ a: 1 }, [operation])).toThrow(expect.objectContaining({ code: 422 }) as Error);
      expect('polluted' in Object).toBe(false);
    },
  );

  it('cannot double the document without limit', () => {
    const doubling = Array.from({ length: 40 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }));
    expect(() => applyJsonPatch({ a: ['x'.repeat(10_000)] }, doubling)).toThrow(
      expect.objectContaining({ code: 422 }) as Error,
    );
  });

  it.each([[{ op: 'add' }], [['add']]])('%j is not a patch: 400', (patch) => {
    expect(() => jsonPatchOperations(patch)).toThrow(expect.objectContaining({ code: 400 }) as Error);
  });
});
