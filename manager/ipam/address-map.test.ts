import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddressMap } from './address-map.ts';

const range = (first: number, size: number) => ({ first, last: first + size - 1 });

/** The addresses taken until the map is full, at most `most`. */
function drain(map: AddressMap, most: number): number[] {
  const all: number[] = [];
  for (let address = map.takeNext(); address !== undefined && all.length <= most; address = map.takeNext())
    all.push(address);
  return all;
}

describe('a map of addresses', () => {
  it.each([1, 31, 32, 33, 1023, 1024, 1025, 40_000])('returns each of %i addresses once, and then none', (size) => {
    const map = new AddressMap(range(1000, size));
    expect(drain(map, size)).toEqual(Array.from({ length: size }, (_, index) => 1000 + index));
    expect(map.takeNext()).toBeUndefined();
  });

  it('returns a released address last', () => {
    const map = new AddressMap(range(10, 4));
    expect([map.takeNext(), map.takeNext()]).toEqual([10, 11]);
    map.free(10);
    expect([map.takeNext(), map.takeNext(), map.takeNext(), map.takeNext()]).toEqual([12, 13, 10, undefined]);
  });

  it('takes a given address once, and none outside its range', () => {
    const map = new AddressMap(range(10, 4));
    expect([map.take(11), map.take(11), map.take(9), map.take(14)]).toEqual([true, false, false, false]);
    expect([map.isTaken(9), map.isTaken(10), map.isTaken(11), map.isTaken(14)]).toEqual([true, false, true, true]);
  });

  it('continues after the given address', () => {
    const map = new AddressMap(range(10, 4));
    map.continueAfter(11);
    expect([map.last, map.takeNext()]).toEqual([11, 12]);
  });

  it('holds a /8 in 2 MiB and finds its only free address at once', () => {
    const map = new AddressMap(range(0x0a000000, 2 ** 24));
    expect(map.size).toBeLessThan(2.2 * 2 ** 20);
    map.takeAll(range(0x0a000000, 2 ** 24));
    expect(map.takeNext()).toBeUndefined();
    map.free(0x0afedcba);
    expect(map.takeNext()).toBe(0x0afedcba);
  });

  it('works at the upper end of the address space', () => {
    const map = new AddressMap(range(0xffffff00, 256));
    map.takeAll(range(0xffffff00, 255));
    expect([map.takeNext(), map.takeNext()]).toEqual([0xffffffff, undefined]);
  });

  it('behaves like a set of addresses under random operations', () => {
    const size = fc.integer({ min: 1, max: 2200 });
    const step = fc.oneof(
      fc.record({ do: fc.constantFrom('take', 'free'), at: fc.nat(2300) }),
      fc.record({ do: fc.constant('takeAll'), at: fc.nat(2300), count: fc.integer({ min: 1, max: 1500 }) }),
      fc.record({ do: fc.constant('takeNext') }),
    );
    fc.assert(
      fc.property(size, fc.array(step, { maxLength: 60 }), (count, steps) => {
        const map = new AddressMap(range(500, count));
        const free = new Set(Array.from({ length: count }, (_, index) => 500 + index));
        let cursor = 500;
        for (const each of steps) {
          const at = 'at' in each ? 450 + each.at : 0;
          if (each.do === 'take') expect(map.take(at)).toBe(free.delete(at));
          else if (each.do === 'free') {
            map.free(at);
            if (at >= 500 && at < 500 + count) free.add(at);
          } else if (each.do === 'takeAll' && 'count' in each) {
            map.takeAll(range(at, each.count));
            for (let address = at; address < at + each.count; address += 1) free.delete(address);
          } else {
            const sorted = [...free].toSorted((a, b) => a - b);
            const next = sorted.find((address) => address >= cursor) ?? sorted[0];
            expect(map.takeNext()).toBe(next);
            if (next !== undefined) {
              free.delete(next);
              cursor = next + 1;
            }
          }
        }
        expect(drain(map, count).toSorted((a, b) => a - b)).toEqual([...free].toSorted((a, b) => a - b));
      }),
    );
  });
});
