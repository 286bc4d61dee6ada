import { describe, expect, it } from 'vitest';
import type { Change } from '../cache/cache.ts';
import type { KubeObject, ObjectMeta } from '../objects.ts';
import { annotationsChanged, generationChanged, labelsChanged, or } from './source.ts';

function object(metadata: Partial<ObjectMeta>): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a', ...metadata } };
}

function modified(before: Partial<ObjectMeta>, after: Partial<ObjectMeta>): Change<KubeObject> {
  return { type: 'modified', previous: object(before), object: object(after) };
}

describe('generationChanged', () => {
  it('ignores a status update', () => {
    expect(generationChanged(modified({ generation: 1 }, { generation: 1 }))).toBe(false);
    expect(generationChanged(modified({ generation: 1 }, { generation: 2 }))).toBe(true);
  });

  it('accepts kinds without a generation, and all added and deleted objects', () => {
    expect(generationChanged(modified({}, {}))).toBe(true);
    expect(generationChanged({ type: 'added', object: object({ generation: 1 }) })).toBe(true);
    expect(generationChanged({ type: 'deleted', object: object({ generation: 1 }) })).toBe(true);
  });
});

describe('labelsChanged and annotationsChanged', () => {
  it.each([
    [undefined, undefined, false],
    [{ a: '1' }, { a: '1' }, false],
    [{ a: '1' }, { a: '2' }, true],
    [{ a: '1' }, { b: '1' }, true],
    [undefined, { a: '1' }, true],
    [{ a: '1', b: '2' }, { a: '1' }, true],
  ])('%j → %j: %s', (before, after, expected) => {
    const metadata = (key: 'labels' | 'annotations', value: Record<string, string> | undefined) =>
      value === undefined ? {} : { [key]: value };
    expect(labelsChanged(modified(metadata('labels', before), metadata('labels', after)))).toBe(expected);
    expect(annotationsChanged(modified(metadata('annotations', before), metadata('annotations', after)))).toBe(
      expected,
    );
  });
});

describe('or', () => {
  it('accepts a change that any of the predicates accepts', () => {
    const either = or(generationChanged, labelsChanged);
    expect(either(modified({ generation: 1 }, { generation: 1, labels: { a: '1' } }))).toBe(true);
    expect(either(modified({ generation: 1 }, { generation: 1 }))).toBe(false);
  });
});
