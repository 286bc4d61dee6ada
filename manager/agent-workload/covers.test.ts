import { describe, expect, it } from 'vitest';
import { covers } from './covers.ts';

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
