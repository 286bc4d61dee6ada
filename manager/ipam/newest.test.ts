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
  // Of a cache no more is asked for.
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

describe('the newest that is known of an object', () => {
  it('is what was written until the cache has it, or something later', () => {
    const { newest, set, tell } = setUp();
    set(anObject('1'));
    newest.note(anObject('2'));
    expect(newest.get(REF)?.metadata.resourceVersion).toBe('2');
    const later = anObject('3');
    set(later);
    tell({ type: 'modified', object: later, previous: anObject('1') });
    expect(newest.get(REF)).toBe(later);
  });

  it('is nothing where it was deleted, or the server says that it is gone', () => {
    const { newest, tell } = setUp();
    newest.note(anObject('2'));
    tell({ type: 'deleted', object: anObject('2') });
    expect(newest.get(REF)).toBeUndefined();
    newest.note(anObject('3'));
    newest.forget(anObject('2'));
    expect(newest.get(REF)).toBeUndefined();
  });

  it('is what the cache says where that has not come to know of a write in 30 s', async () => {
    const { clock, newest } = setUp();
    newest.note(anObject('2'));
    expect(newest.find('any', 'value', () => true)).toHaveLength(1);
    await clock.advance(30_001);
    expect(newest.get(REF)).toBeUndefined();
    expect(newest.find('any', 'value', () => true)).toEqual([]);
  });
});
