import { describe, expect, it } from 'vitest';
import type { Cache, Change, KubeObject } from '@groundcrew/controller-runtime';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import { Newest } from './newest.ts';

const REF = { namespace: 'vms', name: 'a' };

function anObject(resourceVersion: string, uid = 'uid-1'): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { ...REF, uid, resourceVersion } };
}

function setUp() {
  const clock = new FakeClock();
  let cached: KubeObject | undefined;
  let tell: (change: Change<KubeObject>) => void = () => undefined;
  const cache: Pick<Cache<KubeObject>, 'get' | 'byIndex' | 'subscribe'> = {
    get: () => cached,
    byIndex: () => (cached === undefined ? [] : [cached]),
    subscribe: (listener) => {
      tell = listener;
      return () => undefined;
    },
  };
  // Only these parts of a cache are used.
  const newest = new Newest(cache as Cache<KubeObject>, clock);
  const set = (object: KubeObject | undefined) => {
    cached = object;
  };
  return {
    clock,
    newest,
    set,
    tell: (change: Change<KubeObject>) => {
      tell(change);
    },
  };
}

describe('the newest known state of an object', () => {
  it('is the written one until the cache has it or a later one', () => {
    const { newest, set, tell } = setUp();
    set(anObject('1'));
    newest.note(anObject('2'));
    expect(newest.get(REF)?.metadata.resourceVersion).toBe('2');
    const later = anObject('3');
    set(later);
    tell({ type: 'modified', object: later, previous: anObject('1') });
    expect(newest.get(REF)).toBe(later);
  });

  it('is undefined after a deletion, or when the server reports it as gone', () => {
    const { newest, tell } = setUp();
    newest.note(anObject('2'));
    tell({ type: 'deleted', object: anObject('2') });
    expect(newest.get(REF)).toBeUndefined();
    newest.note(anObject('3'));
    newest.forget(anObject('2'));
    expect(newest.get(REF)).toBeUndefined();
  });

  it('is the cached one if the cache has not seen the write within 30 s', async () => {
    const { clock, newest } = setUp();
    newest.note(anObject('2'));
    expect(newest.find('any', 'value', () => true)).toHaveLength(1);
    await clock.advance(30_001);
    expect(newest.get(REF)).toBeUndefined();
    expect(newest.find('any', 'value', () => true)).toEqual([]);
  });
});
