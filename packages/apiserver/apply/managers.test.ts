import { describe, expect, it } from 'vitest';
import { capUpdaters } from './managers.ts';
import { FieldSet } from './field-set.ts';
import { managerKey, type Managers, type Owned } from './managers.ts';

const owned = (index: number, more: Partial<Owned> = {}): Owned => ({
  manager: `m${String(index).padStart(2, '0')}`,
  operation: 'Update',
  apiVersion: 'v1',
  time: `2026-01-01T00:00:${String(index).padStart(2, '0')}Z`,
  set: FieldSet.of([`f:k${index}`]),
  ...more,
});
const capped = (all: Owned[]) => {
  const managers: Managers = new Map(all.map((one) => [managerKey(one), one]));
  capUpdaters(managers);
  return [...managers.values()];
};
const range = (size: number) => Array.from({ length: size }, (_, index) => index);

describe('the managers who have updated an object', () => {
  it('are left alone while there are ten at most', () => {
    const ten = range(10).map((index) => owned(index));
    expect(capped(ten)).toEqual(ten);
  });

  it('are made one, from the oldest on, when there are more', () => {
    const result = capped(range(13).map((index) => owned(index)));
    expect(result).toHaveLength(10);
    const bucket = result.find(({ manager }) => manager === 'ancient-changes');
    expect(bucket?.set.toJSON()).toEqual({ 'f:k0': {}, 'f:k1': {}, 'f:k2': {}, 'f:k3': {} });
    expect(bucket?.time).toBe('2026-01-01T00:00:03Z');
  });

  it('are made one of each version', () => {
    const result = capped(range(13).map((index) => owned(index, { apiVersion: index % 2 === 0 ? 'v1' : 'v2' })));
    expect(result).toHaveLength(10);
    expect(result.filter(({ manager }) => manager === 'ancient-changes').map(({ apiVersion }) => apiVersion)).toEqual([
      'v1',
      'v2',
    ]);
  });

  it('do not count those who apply', () => {
    const all = [...range(10).map((index) => owned(index)), ...range(5).map((i) => owned(i, { operation: 'Apply' }))];
    expect(capped(all)).toHaveLength(15);
  });
});
