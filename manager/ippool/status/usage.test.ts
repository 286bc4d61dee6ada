import { describe, expect, it } from 'vitest';
import { addressSpaceOf, formatIpv4, type AddressSpace } from '../../../api/index.ts';
import { aLease, aPool, type PoolFields } from '../testing/pool.ts';
import { SHOWN, usageOf } from './usage.ts';

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

  it('counts a released address as neither used nor available', () => {
    const usage = usageOf(spaceOf({ pool: RANGE }), [aLease('10.0.0.4', { released: true })]);
    expect(usage).toMatchObject({ used: 0, available: 4, total: 5 });
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
