import { beforeEach, describe, expect, it } from 'vitest';
import { type IPLease } from '../../api/index.ts';
import { keyOf, type Cache, type Change } from '@groundcrew/controller-runtime';
import { aLease } from './testing/builders.ts';
import { Waiting } from './waiting.ts';

const NETWORK = 'vms.prod';

describe('the queue of configs that wait for an address', () => {
  let waiting: Waiting;
  let woken: string[];
  let change: (change: Change<IPLease>) => void;

  beforeEach(() => {
    woken = [];
    const leases: Pick<Cache<IPLease>, 'subscribe'> = {
      subscribe: (listener) => {
        change = listener;
        return () => undefined;
      },
    };
    // Only the changes of the cache are used.
    waiting = new Waiting(leases as Cache<IPLease>);
    waiting.start((ref) => woken.push(keyOf(ref)));
  });

  const wait = (name: string, address?: number): void => {
    waiting.put({ namespace: 'vms', name }, [{ network: NETWORK, ...(address === undefined ? {} : { address }) }]);
  };
  const freed = (address: string): void => {
    change({ type: 'deleted', object: aLease(address) });
  };

  it('reports whether another config would get an address', () => {
    const a = { namespace: 'vms', name: 'a' };
    wait('a', 10);
    expect(waiting.isAwaited(NETWORK, 10, a)).toBe(false);
    wait('b', 11);
    expect(waiting.isAwaited(NETWORK, 10, a)).toBe(false);
    expect(waiting.isAwaited(NETWORK, 11, a)).toBe(true);
    wait('c');
    expect(waiting.isAwaited(NETWORK, 10, a)).toBe(true);
    expect(waiting.isAwaited('vms.other', 10, a)).toBe(false);
  });

  it('wakes the first config for an address that becomes free, and none for other changes', () => {
    wait('a');
    wait('b');
    change({ type: 'added', object: aLease('10.0.0.10') });
    expect(woken).toEqual([]);
    freed('10.0.0.10');
    expect(woken).toEqual(['vms/a']);
  });

  it('reports addresses that became free during a reconcile', () => {
    const before = waiting.freed;
    change({ type: 'added', object: aLease('10.0.0.10') });
    expect(waiting.freed).toBe(before);
    freed('10.0.0.10');
    expect(waiting.freed).not.toBe(before);
  });

  it('keeps the position of a config that found no address', () => {
    wait('a');
    wait('b');
    wait('a');
    freed('10.0.0.10');
    expect(woken).toEqual(['vms/a']);
  });

  it('wakes the next config when one leaves, so that free addresses are used', () => {
    for (const name of ['a', 'b', 'c']) wait(name);
    waiting.put({ namespace: 'vms', name: 'a' }, []);
    waiting.put({ namespace: 'vms', name: 'b' }, []);
    expect(woken).toEqual(['vms/b', 'vms/c']);
    waiting.put({ namespace: 'vms', name: 'c' }, []);
    expect([woken.length, waiting.size]).toEqual([2, 0]);
  });

  it('wakes a config that waits for that address', () => {
    wait('a');
    wait('fixed', 0x0a00000f);
    freed('10.0.0.15');
    expect(woken).toEqual(['vms/a', 'vms/fixed']);
    freed('10.0.0.16');
    expect(woken).toEqual(['vms/a', 'vms/fixed', 'vms/a']);
  });
});
