import { describe, expect, it } from 'vitest';
import type { ConfigMap, Draft } from '@groundcrew/controller-runtime';
import { isApplied, stamped } from './applied.ts';

const draft = (annotations: Record<string, string>, data: Record<string, string>): Draft<ConfigMap> =>
  stamped<ConfigMap>(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', annotations }, data },
    'example.com/applied',
  );

const stored = (of: Draft<ConfigMap>): ConfigMap => ({ ...of, metadata: { name: 'a', uid: 'u', ...of.metadata } });

describe('a stamped draft', () => {
  it('is not applied again without changes', () => {
    expect(isApplied(stored(draft({ x: '1' }, { k: 'v' })), draft({ x: '1' }, { k: 'v' }))).toBe(true);
  });

  it('is applied again if a field was removed from it, which a comparison of fields does not detect', () => {
    expect(isApplied(stored(draft({ x: '1', y: '2' }, {})), draft({ x: '1' }, {}))).toBe(false);
  });

  it('is applied again if another client changed the object', () => {
    const object = stored(draft({}, { k: 'v' }));
    expect(isApplied({ ...object, data: { k: 'other' } }, draft({}, { k: 'v' }))).toBe(false);
  });

  it('does not depend on the order of labels', () => {
    expect(draft({ x: '1', y: '2' }, {})).toEqual(draft({ y: '2', x: '1' }, {}));
  });
});
