import { describe, expect, it } from 'vitest';
import type { LeaseStatus, PoolStatus } from '../../../cli/status/overview.ts';
import { addressMapOf, formatAddress, layoutOf, placeOfKey, USES } from './address-map.ts';

const pool = (part: Partial<PoolStatus> = {}): PoolStatus => ({
  namespace: 'vms',
  name: 'lab',
  network: 'vms/lab',
  used: 0,
  bound: 0,
  resting: 0,
  total: 0,
  agents: '1/1',
  phase: 'Ready',
  cidr: '10.0.0.0/24',
  start: '10.0.0.8',
  end: '10.0.0.23',
  servers: ['10.0.0.10'],
  router: '10.0.0.1',
  excluded: [],
  ...part,
});
const lease = (address: string, state: string): LeaseStatus => ({
  namespace: 'vms',
  name: 'web',
  macAddress: '02:00:00:00:00:01',
  address,
  pool: 'lab',
  poolNamespace: 'vms',
  state,
});

/** The uses that are not free, by address. */
function usesOf(of: PoolStatus, leases: LeaseStatus[] = []): Record<string, string> {
  const { first = 0, uses = [] } = addressMapOf(of, leases) ?? {};
  const named = [...uses].map((use, place) => [formatAddress(first + place), USES[use] ?? '?'] as const);
  return Object.fromEntries(named.filter(([, use]) => use !== 'free'));
}

describe('the map of a pool', () => {
  it('has all addresses of its range', () => {
    expect(addressMapOf(pool(), [])).toMatchObject({ first: 0x0a00_0008, uses: { length: 16 }, isCut: false });
  });

  it.each([
    ['Bound', 'bound'],
    ['Allocated', 'allocated'],
    ['Resting', 'resting'],
    ['Quarantined', 'blocked'],
  ])('shows a lease that is %s', (state, use) => {
    expect(usesOf(pool({ servers: [] }), [lease('10.0.0.9', state)])).toEqual({ '10.0.0.9': use });
  });

  it('ignores leases without an address, and those outside of the range', () => {
    expect(usesOf(pool({ servers: [] }), [lease('-', 'Pending'), lease('10.0.0.99', 'Bound')])).toEqual({});
  });

  it.each([
    ['10.0.0.12', ['10.0.0.12']],
    ['10.0.0.22-10.0.0.40', ['10.0.0.22', '10.0.0.23']],
    ['10.0.0.20/30', ['10.0.0.20', '10.0.0.21', '10.0.0.22', '10.0.0.23']],
    ['nonsense', []],
  ])('shows what is excluded: %s', (range, excluded) => {
    expect(Object.keys(usesOf(pool({ servers: [], excluded: [range] })))).toEqual(excluded);
  });

  it('shows servers and router rather than what is excluded', () => {
    const all = pool({ excluded: ['10.0.0.8-10.0.0.10'], router: '10.0.0.9' });
    expect(usesOf(all)).toEqual({ '10.0.0.8': 'excluded', '10.0.0.9': 'router', '10.0.0.10': 'server' });
  });

  it('is cut after the addresses of a /16, and absent without a range', () => {
    const large = addressMapOf(pool({ start: '10.0.0.0', end: '10.2.0.0' }), []);
    expect(large).toMatchObject({ uses: { length: 65_536 }, isCut: true });
    expect(addressMapOf(pool({ start: '-', end: '-' }), [])).toBeUndefined();
  });
});

describe('its layout', () => {
  it.each([
    ['10.0.0.0', '10.0.0.255', 1000, { columns: 32, rows: 8, lead: 0, cell: 31 }],
    ['10.0.0.10', '10.0.0.200', 300, { columns: 16, rows: 13, lead: 10, cell: 18 }],
    ['10.0.0.0', '10.0.255.255', 1100, { columns: 256, rows: 256, lead: 0, cell: 4 }],
    ['10.0.0.0', '10.0.255.255', 300, { columns: 64, rows: 1024, lead: 0, cell: 4 }],
  ])('of %s to %s in %i pixels', (start, end, width, layout) => {
    const map = addressMapOf(pool({ start, end }), []);
    expect(map && layoutOf(map, width)).toEqual(layout);
  });

  it.each([
    ['ArrowRight', 1],
    ['ArrowLeft', 0],
    ['ArrowDown', 16],
    ['PageDown', 20],
    ['End', 20],
    ['Enter', undefined],
  ])('leads by %s from the first of 21 to %s', (key, place) => {
    expect(placeOfKey(key, 0, 21, 16)).toBe(place);
  });
});
