import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../objects.ts';
import { Store } from './store.ts';

const object = (name: string, value = 0): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, namespace: 'ns' },
  value,
});
const names = (entries: Iterable<[string, unknown]>) => Array.from(entries, ([key]) => key);

describe('a store', () => {
  it('gives each write in any collection the next revision', () => {
    const store = new Store();
    const first = store.put('a', object('x'));
    const second = store.put('b', object('y'));
    expect(second.revision).toBe(first.revision + 1);
    expect(second.object.metadata.resourceVersion).toBe(String(store.revision));
  });

  it('lists in key order', () => {
    const store = new Store();
    for (const name of ['c', 'a', 'b']) store.put('a', object(name));
    expect(names(store.collection('a').sorted())).toEqual(['ns/a', 'ns/b', 'ns/c']);
  });

  it('notifies listeners with the previous and the current state', () => {
    const store = new Store();
    const seen: unknown[] = [];
    const stop = store
      .collection('a')
      .subscribe(({ type, previous, current }) =>
        seen.push([type, previous?.object['value'], current.object['value']]),
      );
    store.put('a', object('x', 1));
    store.put('a', object('x', 2));
    store.remove('a', object('x', 2));
    stop();
    store.put('a', object('x', 3));
    expect(seen).toEqual([
      ['ADDED', undefined, 1],
      ['MODIFIED', 1, 2],
      ['DELETED', 2, 2],
    ]);
  });

  it('returns a collection as it was at an earlier revision', () => {
    const store = new Store();
    store.put('a', object('x', 1));
    store.put('a', object('gone'));
    const then = store.revision;
    store.put('a', object('x', 2));
    store.remove('a', object('gone'));
    store.put('a', object('late'));
    const entries = [...(store.collection('a').sortedAt(then) ?? [])];
    expect(names(entries)).toEqual(['ns/gone', 'ns/x']);
    expect(entries[1]?.[1].object['value']).toBe(1);
  });

  it('looks only at the objects of a page, however many there are', () => {
    const store = new Store();
    const looksFor = (count: number): number => {
      for (let at = 0; at < count; at += 1) store.put('a', object(String(at).padStart(5, '0')));
      let looks = 0;
      const entries = store
        .collection('a')
        .sorted()
        .viewed((stored) => ((looks += 1), stored));
      const start = entries.before('ns/00050');
      expect(names(entries.slice(start, start + 3))).toEqual(['ns/00050', 'ns/00051', 'ns/00052']);
      return looks;
    };
    expect([looksFor(60), looksFor(1000)]).toEqual([3, 3]);
  });

  it('has no changes beyond its history limit', () => {
    const store = new Store({ historyLimit: 4 });
    const start = store.revision;
    for (let value = 0; value < 10; value += 1) store.put('a', object('x', value));
    expect(store.collection('a').since(start)).toBeUndefined();
    expect(store.collection('a').sortedAt(start)).toBeUndefined();
    expect(store.collection('a').since(store.revision - 2)).toHaveLength(2);
  });

  it('keeps 500 changes of a collection by default', () => {
    const store = new Store();
    const start = store.revision;
    for (let value = 0; value < 1000; value += 1) store.put('a', object('x', value));
    expect(store.collection('a').since(store.revision - 500)).toHaveLength(500);
    expect(store.collection('a').since(start)).toBeUndefined();
  });

  it('keeps the history of a collection while others change', () => {
    const store = new Store({ historyLimit: 4 });
    store.put('quiet', object('x'));
    const then = store.revision;
    for (let value = 0; value < 100; value += 1) store.put('busy', object('y', value));
    expect(store.collection('quiet').since(then)).toEqual([]);
  });
});
