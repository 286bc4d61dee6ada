import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldSet } from './field-set.ts';

const element = fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'v:1');
const sets = fc
  .array(fc.array(element, { minLength: 1, maxLength: 3 }), { maxLength: 8 })
  .map((paths) => paths.reduce((set, path) => set.union(FieldSet.of(path)), FieldSet.empty));

describe('a field set', () => {
  it('survives a round trip through FieldsV1', () => {
    const fields = { 'f:spec': { '.': {}, 'f:a': {}, 'f:list': { 'k:{"name":"x"}': { '.': {}, 'f:name': {} } } } };
    expect(FieldSet.parse(fields).toJSON()).toEqual(fields);
    fc.assert(
      fc.property(sets, (set) => {
        expect(FieldSet.parse(set.toJSON()).toJSON()).toEqual(set.toJSON());
      }),
    );
  });

  it('obeys the laws of set algebra', () => {
    const same = (a: FieldSet, b: FieldSet) => {
      expect(a.toJSON()).toEqual(b.toJSON());
    };
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        same(a.union(b), b.union(a));
        same(a.intersection(b), b.intersection(a));
        same(a.minus(b).union(a.intersection(b)), a);
        same(a.minus(b).intersection(b), FieldSet.empty);
      }),
    );
  });

  it('formats its paths like kubectl', () => {
    const set = FieldSet.of(['f:spec', 'f:ports', 'k:{"port":80,"protocol":"TCP"}', 'f:name']).union(
      FieldSet.of(['f:set', 'v:"x"']),
    );
    expect(set.paths()).toEqual(['.set[="x"]', '.spec.ports[port=80,protocol="TCP"].name']);
  });
});
