import { describe, expect, it } from 'vitest';
import {
  addressSpaceOf,
  formatIpv4,
  isAllocatable,
  type AddressSpace,
  type IPLease,
  type Ipv4Range,
} from '../../../api/index.ts';
import { aLease, aPool, type PoolFields } from '../testing/builders.ts';
import { SHOWN, usageOf, blockedOf, isBlocked, UsageViews } from './usage.ts';
import fc from 'fast-check';

function spaceOf(ipv4Config: PoolFields['ipv4Config']): AddressSpace {
  return addressSpaceOf(aPool({ ipv4Config: ipv4Config ?? {} }).spec).space ?? expect.fail('the pool makes sense');
}

const RANGE = { start: '10.0.0.1', end: '10.0.0.8', exclude: ['10.0.0.7-10.0.0.9'] };

describe('the usage of a pool', () => {
  it('marks addresses that are never leased, as vm-dhcp-controller does', () => {
    expect(usageOf(spaceOf({ router: '10.0.0.1', pool: RANGE }), [])).toMatchObject({
      used: 0,
      available: 4,
      total: 4,
      allocated: { '10.0.0.1': 'RESERVED', '10.0.0.2': 'RESERVED', '10.0.0.7': 'EXCLUDED', '10.0.0.8': 'EXCLUDED' },
    });
  });

  it('counts leases', () => {
    const usage = usageOf(spaceOf({ pool: RANGE }), [aLease('10.0.0.4'), aLease('10.0.0.3')]);
    expect(usage).toMatchObject({ used: 2, available: 3, total: 5, truncated: false, outside: [], declined: [] });
    expect(usage.allocated).toMatchObject({ '10.0.0.3': '52:54:00:00:00:03', '10.0.0.4': '52:54:00:00:00:04' });
  });

  it('counts a released address as resting, neither used nor available, with the earliest expiry', () => {
    const expires = ['2026-03-02T00:00:00Z', '2026-03-01T00:00:00Z', undefined];
    const leases = expires.map((time, at): IPLease => {
      const lease = aLease(`10.0.0.${3 + at}`, { released: true });
      return { ...lease, status: { state: 'Resting', ...(time === undefined ? {} : { expires: time }) } };
    });
    const quarantined = aLease('10.0.0.6', { released: true, state: 'Declined' });
    const usage = usageOf(spaceOf({ pool: RANGE }), [...leases, quarantined, aLease('10.0.0.1')]);
    expect(usage).toMatchObject({ used: 1, available: 0, total: 5, resting: 3, nextFree: '2026-03-01T00:00:00Z' });
    expect(usage.allocated).not.toHaveProperty(['10.0.0.4']);
  });

  it('lists an active lease of an excluded address without reducing the available addresses twice', () => {
    const lease = aLease('10.0.0.7');
    const usage = usageOf(spaceOf({ pool: RANGE }), [lease]);
    expect(usage).toMatchObject({ used: 1, available: 5, total: 5, outside: [lease] });
    expect(usage.allocated).toMatchObject({ '10.0.0.7': '52:54:00:00:00:07', '10.0.0.8': 'EXCLUDED' });
  });

  it('lists the leases in conflict with another machine', () => {
    const lease = aLease('10.0.0.4', { state: 'Declined' });
    expect(usageOf(spaceOf({ pool: RANGE }), [lease, aLease('10.0.0.5')]).declined).toEqual([lease]);
  });

  it('lists the addresses in quarantine', () => {
    const lease = aLease('10.0.0.4', { state: 'Declined', released: true });
    const usage = usageOf(spaceOf({ pool: RANGE }), [aLease('10.0.0.5', { released: true }), lease]);
    expect(usage).toMatchObject({ used: 0, available: 3, declined: [], quarantined: [lease] });
  });

  it('lists at most 4096 entries, lowest leased addresses first, and marks a truncated list', () => {
    const wide = { cidr: '10.0.0.0/16', pool: { start: '10.0.1.0', end: '10.0.255.254', exclude: ['10.0.200.0/21'] } };
    const leases = (count: number) => Array.from({ length: count }, (_, at) => aLease(formatIpv4(0x0a000100 + at)));
    const many = usageOf(spaceOf(wide), leases(SHOWN + 1).toReversed());
    expect(Object.keys(many.allocated)).toHaveLength(SHOWN);
    expect(many).toMatchObject({ used: SHOWN + 1, truncated: true });
    expect(many.allocated).not.toHaveProperty([formatIpv4(0x0a000100 + SHOWN)]);
    const marked = usageOf(spaceOf(wide), leases(SHOWN - 1));
    expect(Object.values(marked.allocated).filter((entry) => entry === 'EXCLUDED')).toHaveLength(1);
    expect(marked.truncated).toBe(false);
  });
});

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
    reserved: fc.constant([]),
  },
  { requiredKeys: ['cidr', 'range', 'excluded', 'servers', 'reserved'] },
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
    const blocked = blockedOf({ cidr, range: cidr, excluded, servers: [], reserved: [] });
    expect(blocked).toEqual({
      ranges: [
        { first: FIRST, last: FIRST + 2 ** 23 },
        { first: cidr.last, last: cidr.last },
      ],
      count: 2 ** 23 + 2,
    });
  });
});

const POOL = { namespace: 'vms', name: 'pool' };
const ipv4Config = { cidr: '10.0.0.0/16', pool: { start: '10.0.1.0', end: '10.0.255.254' } };

function setUp(leases: number) {
  const { space } = addressSpaceOf(aPool({ ipv4Config }).spec);
  if (space === undefined) throw new Error('the pool makes sense');
  const views = new UsageViews();
  let counts = 0;
  const all = Array.from({ length: leases }, (_, at) => aLease(formatIpv4(0x0a000100 + at)));
  const read = (now: number, spec = 'uid/1', shown?: Record<string, string>) =>
    views.read(
      POOL,
      spec,
      space,
      () => {
        counts += 1;
        return all;
      },
      now,
      shown,
    );
  return { read, views, counts: () => counts };
}

describe('the usage of a pool', () => {
  it('is counted at most once a second, with a requeue when the next count is due', () => {
    const { read, counts } = setUp(0);
    expect(read(0).lookAgain).toBeUndefined();
    expect(read(400).lookAgain).toBe(600);
    expect(counts()).toBe(1);
    expect(read(1000).lookAgain).toBeUndefined();
    expect(counts()).toBe(2);
  });

  it('is counted less often for larger pools, but at least every 10 s', () => {
    expect(setUp(0).read(0).lookAgain).toBeUndefined();
    for (const [leases, interval] of [
      [2048, 5500],
      [4096, 10_000],
      [8192, 10_000],
    ] as const) {
      const { read } = setUp(leases);
      read(0);
      expect(read(1).lookAgain).toBe(interval - 1);
    }
  });

  it('has the list of the status if that is equal, and compares the two once', () => {
    const { read } = setUp(100);
    const { allocated } = read(0).usage;
    let looks = 0;
    const count = (): undefined => {
      looks += 1;
    };
    const shown = new Proxy({ ...allocated }, { get: (list, name: string) => (count(), list[name]) });
    expect(read(1, undefined, shown).usage.allocated).toBe(shown);
    expect(looks).toBeGreaterThanOrEqual(100);
    looks = 0;
    for (let lease = 0; lease < 10; lease += 1) expect(read(2, undefined, shown).usage.allocated).toBe(shown);
    expect(looks).toBe(0);
    const other = { ...allocated, '10.0.9.9': 'RESERVED' };
    expect(read(3, undefined, other).usage.allocated).toEqual(allocated);
  });

  it('is counted at once for a changed spec or another pool', () => {
    const { read, counts } = setUp(4096);
    read(0);
    expect(read(1, 'uid/2').lookAgain).toBeUndefined();
    expect(read(1, 'another/2').lookAgain).toBeUndefined();
    expect(counts()).toBe(3);
  });
});
