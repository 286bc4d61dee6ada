import { describe, expect, it } from 'vitest';
import { NETWORK, pool } from '../testing/builders.ts';
import { amongOthers, servedPools } from './served-pools.ts';
import { parseIpv4 } from '../../../api/index.ts';
import { trimmedPool } from './pool-table.ts';
import { settingsOf } from './settings-of.ts';

const low = { start: '10.0.0.10', end: '10.0.0.99' };
const high = { start: '10.0.0.100', end: '10.0.0.200' };
const names = (...pools: Parameters<typeof servedPools>[0]): string[] =>
  servedPools(pools, NETWORK).map(({ metadata }) => metadata.name);

describe('served pools', () => {
  it('are those of the network, with and without namespace in its name', () => {
    const [a, b] = [pool({ pool: low }, { name: 'a' }), pool({ pool: high }, { name: 'b', networkName: 'vlan10' })];
    const other = pool({}, { name: 'c', networkName: 'default/vlan11' });
    expect(names(a, b, other)).toEqual(['a', 'b']);
  });

  it('exclude a pool whose server address an older pool reserves', () => {
    const old = trimmedPool(
      pool({ pool: low, reservations: [{ vmName: 'nas', ipAddress: '10.0.0.9' }] }, { name: 'b' }),
    );
    const young = pool({ pool: high, serverIP: '10.0.0.9' }, { name: 'a', created: '2026-01-02T00:00:00Z' });
    expect(names(young, old)).toEqual(['b']);
  });

  it('exclude paused pools and pools without a range', () => {
    expect(
      names(pool({}, { paused: true }), pool({ pool: { start: '10.0.0.9', end: '10.0.0.8' } }, { name: 'b' })),
    ).toEqual([]);
  });

  it('include the oldest of conflicting pools, even if that is paused', () => {
    const young = pool({}, { name: 'a', created: '2026-01-02T00:00:00Z' });
    const old = pool({ pool: low }, { name: 'b' });
    expect(names(young, old)).toEqual(['b']);
    expect(names(young, pool({ pool: low }, { name: 'b', paused: true }))).toEqual([]);
  });
});

function settings(number: number) {
  const { settings: made } = settingsOf(
    pool({
      cidr: `10.0.${number}.0/24`,
      serverIP: `10.0.${number}.2`,
      pool: { start: `10.0.${number}.10`, end: `10.0.${number}.20` },
    }),
    0,
  );
  if (made === undefined) throw new Error('the pool has no settings');
  return made;
}

describe('a pool among the others of its network', () => {
  const [first, second] = [settings(0), settings(1)];

  it('gets the subnets of the others without duplicates, and their servers as siblings', () => {
    const known = amongOthers(first, [first, second, second]);
    expect(known.others).toEqual([{ subnet: parseIpv4('10.0.1.0'), prefix: 24 }]);
    expect(known.siblings).toEqual([parseIpv4('10.0.0.2'), parseIpv4('10.0.1.2')]);
  });

  it('is unchanged if it is alone', () => {
    expect(amongOthers(first, [first])).toEqual(first);
  });
});
