import { describe, expect, it } from 'vitest';
import type { ConfigMap, Draft } from '@groundcrew/controller-runtime';
import { covers, digest, stamped } from './applied.ts';

const draft = (annotations: Record<string, string>, data: Record<string, string>): Draft<ConfigMap> =>
  stamped<ConfigMap>(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', annotations }, data },
    'example.com/applied',
  );

const stored = (of: Draft<ConfigMap>): ConfigMap => ({ ...of, metadata: { name: 'a', uid: 'u', ...of.metadata } });

describe('a stamped draft', () => {
  it('is not applied again without changes', () => {
    expect(covers(stored(draft({ x: '1' }, { k: 'v' })), draft({ x: '1' }, { k: 'v' }))).toBe(true);
  });

  it('is applied again if a field was removed from it, which a comparison of fields does not detect', () => {
    expect(covers(stored(draft({ x: '1', y: '2' }, {})), draft({ x: '1' }, {}))).toBe(false);
  });

  it('is applied again if another client changed the object', () => {
    const object = stored(draft({}, { k: 'v' }));
    expect(covers({ ...object, data: { k: 'other' } }, draft({}, { k: 'v' }))).toBe(false);
  });

  it('does not depend on the order of labels', () => {
    expect(draft({ x: '1', y: '2' }, {})).toEqual(draft({ y: '2', x: '1' }, {}));
  });
});

describe('covers', () => {
  it('ignores fields that the server added', () => {
    expect(covers({ a: 1, b: { c: 2, d: 3 } }, { b: { c: 2 } })).toBe(true);
  });

  it('detects a changed value at any depth', () => {
    expect(covers({ b: { c: 2 } }, { b: { c: 3 } })).toBe(false);
  });

  it('detects a removed field', () => {
    expect(covers({ a: 1 }, { a: 1, b: 2 })).toBe(false);
  });

  it('matches list elements by name, as server-side apply merges them', () => {
    const wanted = { env: [{ name: 'A', value: '1' }] };
    expect(
      covers(
        {
          env: [
            { name: 'B', value: 'x' },
            { name: 'A', value: '1', extra: true },
          ],
        },
        wanted,
      ),
    ).toBe(true);
    expect(covers({ env: [{ name: 'B', value: '1' }] }, wanted)).toBe(false);
  });

  it('requires lists without names to be equal, element by element', () => {
    expect(covers({ verbs: ['get', 'list'] }, { verbs: ['get', 'list'] })).toBe(true);
    expect(covers({ verbs: ['get', 'list', '*'] }, { verbs: ['get', 'list'] })).toBe(false);
    expect(covers({ verbs: ['list', 'get'] }, { verbs: ['get', 'list'] })).toBe(false);
  });

  it('treats an absent map or list as empty, as servers omit empty ones', () => {
    expect(covers({}, { annotations: {}, verbs: [] })).toBe(true);
  });

  it('compares quantities by value, not by their text', () => {
    expect(covers({ requests: { cpu: '1', memory: '1Gi' } }, { requests: { cpu: '1000m', memory: '1024Mi' } })).toBe(
      true,
    );
    expect(covers({ limits: { memory: '1G' } }, { limits: { memory: '1Gi' } })).toBe(false);
    expect(covers({}, { limits: { memory: '1Gi' } })).toBe(false);
  });

  it('distinguishes a list from a map, and null from a value', () => {
    expect(covers([], {})).toBe(false);
    expect(covers(null, { a: 1 })).toBe(false);
  });
});

it('has the digests of earlier versions: with others an upgrade would restart all agents', () => {
  expect(digest({ b: [{ d: 1, c: undefined }, 'é'], a: null, 10: {}, 9: [undefined] })).toBe('66958386ee803095');
});
