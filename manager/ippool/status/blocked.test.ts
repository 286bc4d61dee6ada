import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAllocatable, type AddressSpace, type Ipv4Range } from '../../../api/index.ts';
import { blockedOf, isBlocked } from './blocked.ts';

const FIRST = 0x0a000000;
/** An address in or slightly outside 10.0.0.0/24. */
const address = fc.integer({ min: FIRST - 3, max: FIRST + 258 });
const range: fc.Arbitrary<Ipv4Range> = fc
  .tuple(address, address)
  .map(([a, b]) => ({ first: Math.min(a, b), last: Math.max(a, b) }));
const space: fc.Arbitrary<AddressSpace> = fc.record(
  {
    cidr: fc.constant({ first: FIRST, last: FIRST + 255, prefix: 24 }),
    range: range
      .map(({ first, last }) => ({ first: Math.max(first, FIRST), last: Math.min(last, FIRST + 255) }))
      .filter(({ first, last }) => first <= last),
    excluded: fc.array(range, { maxLength: 5 }),
    servers: fc.array(address, { maxLength: 3 }),
    router: address,
  },
  { requiredKeys: ['cidr', 'range', 'excluded', 'servers'] },
);

describe('the blocked addresses of a range', () => {
  it('are all that cannot be allocated, each counted once', () => {
    fc.assert(
      fc.property(space, (given) => {
        const blocked = blockedOf(given);
        let count = 0;
        for (let each = given.range.first; each <= given.range.last; each += 1) {
          expect(isBlocked(blocked, each)).toBe(!isAllocatable(given, each));
          if (!isAllocatable(given, each)) count += 1;
        }
        expect(blocked.count).toBe(count);
      }),
    );
  });

  it('take as long for a /8 as for a /24: the cost depends on the entries in the spec', () => {
    const cidr = { first: FIRST, last: FIRST + 2 ** 24 - 1, prefix: 8 };
    const excluded = [{ first: FIRST + 1, last: FIRST + 2 ** 23 }];
    const blocked = blockedOf({ cidr, range: cidr, excluded, servers: [] });
    expect(blocked).toEqual({
      ranges: [
        { first: FIRST, last: FIRST + 2 ** 23 },
        { first: cidr.last, last: cidr.last },
      ],
      count: 2 ** 23 + 2,
    });
  });
});
