import { describe, expect, it } from 'vitest';
import { addressSpaceOf, formatIpv4 } from '../../../api/index.ts';
import { aLease, aPool } from '../testing/pool.ts';
import { UsageViews } from './usage-views.ts';

const POOL = { namespace: 'vms', name: 'pool' };
const ipv4Config = { cidr: '10.0.0.0/16', pool: { start: '10.0.1.0', end: '10.0.255.254' } };

function setUp(leases: number) {
  const { space } = addressSpaceOf(aPool({ ipv4Config }).spec);
  if (space === undefined) throw new Error('the pool makes sense');
  const views = new UsageViews();
  let counts = 0;
  const all = Array.from({ length: leases }, (_, at) => aLease(formatIpv4(0x0a000100 + at)));
  const read = (now: number, spec = 'uid/1') =>
    views.read(
      POOL,
      spec,
      space,
      () => {
        counts += 1;
        return all;
      },
      now,
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

  it('is counted at once for a changed spec or another pool', () => {
    const { read, counts } = setUp(4096);
    read(0);
    expect(read(1, 'uid/2').lookAgain).toBeUndefined();
    expect(read(1, 'another/2').lookAgain).toBeUndefined();
    expect(counts()).toBe(3);
  });
});
