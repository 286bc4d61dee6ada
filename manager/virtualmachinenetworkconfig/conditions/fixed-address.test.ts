import { describe, expect, it } from 'vitest';
import { parseIpv4 } from '../../../api/index.ts';
import type { PoolInputs } from '../inputs.ts';
import { aPool, poolInputs } from '../testing/builders.ts';
import { fixedAddress, isReservedForMac } from './fixed-address.ts';

const MAC = '52:54:00:00:00:01';
const asking = { mac: MAC, virtualMachine: 'vms/web', isFirst: true };
const at = (text: string): number => parseIpv4(text) ?? 0;

const range = (start: string, end: string) => ({ pool: { start, end } });

describe('the fixed address of an interface', () => {
  it('is undefined by default', () => {
    expect(fixedAddress(asking, [poolInputs(aPool())])).toBeUndefined();
  });

  it('is that of the spec, in the pool whose range has it, whichever is older', () => {
    const pools = [
      poolInputs(aPool('a', range('10.0.0.10', '10.0.0.19'))),
      poolInputs(aPool('b', range('10.0.0.20', '10.0.0.29')), 'Paused'),
    ];
    expect(fixedAddress({ ...asking, requested: at('10.0.0.25') }, pools)?.pool).toBe(pools[1]);
    expect(fixedAddress({ ...asking, requested: at('10.0.0.99') }, pools)?.pool).toBe(pools[0]);
    expect(fixedAddress({ ...asking, requested: at('10.0.9.9') }, pools)).toEqual({
      address: at('10.0.9.9'),
      by: 'spec',
      keptForOther: false,
    });
  });

  it('waits for the oldest pool of its network if it is in no range, even if that pool is paused', () => {
    const [a, b] = [aPool('a', range('10.0.0.10', '10.0.0.19')), aPool('b', range('10.0.0.20', '10.0.0.29'))];
    const poolAmong = (...pools: PoolInputs[]) =>
      fixedAddress({ ...asking, requested: at('10.0.0.99') }, pools)?.pool?.pool.metadata.name;
    expect(poolAmong(poolInputs(a), poolInputs(b))).toBe('a');
    expect(poolAmong(poolInputs(a, 'Paused'), poolInputs(b))).toBe('a');
    expect(poolAmong(poolInputs(a, 'Collides'), poolInputs(b))).toBe('b');
  });

  it('is the reservation for the MAC address, before that for the VM', () => {
    const reservations = [
      { vmName: 'web', ipAddress: '10.0.0.50' },
      { macAddress: '52-54-00-00-00-01', ipAddress: '10.0.0.51', hostname: 'printer' },
    ];
    const pools = [poolInputs(aPool('pool', { reservations }))];
    expect(fixedAddress(asking, pools)).toMatchObject({
      address: at('10.0.0.51'),
      by: 'reservation',
      hostname: 'printer',
    });
    expect(isReservedForMac(MAC, pools)).toBe(true);
    const other = { ...asking, mac: '52:54:00:00:00:02' };
    expect(fixedAddress(other, pools)).toMatchObject({ address: at('10.0.0.50'), by: 'reservation' });
    expect(fixedAddress({ ...other, isFirst: false }, pools)).toBeUndefined();
  });

  it('applies to a VM in the pool’s own namespace, unless the reservation names another', () => {
    const pools = (vmName: string) => [
      poolInputs(aPool('pool', { reservations: [{ vmName, ipAddress: '10.0.0.50' }] })),
    ];
    const other = { ...asking, virtualMachine: 'team/web' };
    expect(fixedAddress(other, pools('web'))).toBeUndefined();
    expect(fixedAddress(other, pools('team/web'))).toMatchObject({ address: at('10.0.0.50') });
  });

  it('is marked if it is reserved for another VM or MAC address', () => {
    const pools = [poolInputs(aPool('pool', { reservations: [{ vmName: 'db', ipAddress: '10.0.0.50' }] }))];
    expect(fixedAddress({ ...asking, requested: at('10.0.0.50') }, pools)).toMatchObject({ keptForOther: true });
    const db = { ...asking, virtualMachine: 'vms/db', requested: at('10.0.0.50') };
    expect(fixedAddress(db, pools)).toMatchObject({ keptForOther: false });
  });

  it("has no pool if the reservation is outside the pool's network", () => {
    const pools = [poolInputs(aPool('pool', { reservations: [{ vmName: 'web', ipAddress: '10.9.0.50' }] }))];
    expect(fixedAddress(asking, pools)).not.toHaveProperty('pool');
  });
});
