import { describe, expect, it } from 'vitest';
import type { IPPool, IPPoolSpec } from './network-resources.ts';
import { standingOf } from './pool-standing.ts';

type Ipv4Config = Partial<NonNullable<IPPoolSpec['ipv4Config']>>;

/** A pool of 10.0.0.`start` to 10.0.0.`end`, made at that second. */
function aPool(name: string, second: number, [start, end]: [number, number], config: Ipv4Config = {}): IPPool {
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPPool',
    metadata: { name, namespace: 'vms', uid: name, creationTimestamp: `2026-01-01T00:00:0${second}Z` },
    spec: {
      networkName: 'lan',
      ipv4Config: {
        cidr: '10.0.0.0/24',
        serverIP: '10.0.0.2',
        pool: { start: `10.0.0.${start}`, end: `10.0.0.${end}` },
        ...config,
      },
    },
  };
}

const holders = (...pools: IPPool[]) =>
  pools.filter((pool) => standingOf(pool, pools).holds).map(({ metadata }) => metadata.name);

describe('pools of one network', () => {
  it('both hold if their ranges are disjoint', () => {
    expect(holders(aPool('a', 1, [10, 19]), aPool('b', 2, [20, 29]))).toEqual(['a', 'b']);
  });

  it('in conflict: the older one holds, and the other one names it', () => {
    const [a, b] = [aPool('a', 1, [10, 19]), aPool('b', 2, [19, 29])];
    expect(holders(b, a)).toEqual(['a']);
    expect(standingOf(b, [b, a])).toMatchObject({ holds: false, rival: { metadata: { name: 'a' } } });
  });

  it('of the same age: that in the namespace of the network is first', () => {
    const own = aPool('b', 1, [10, 19]);
    const guest = aPool('a', 1, [10, 19]);
    const guests = { ...guest.metadata, namespace: 'guest' };
    expect(holders({ ...guest, metadata: guests, spec: { ...guest.spec, networkName: 'vms/lan' } }, own)).toEqual([
      'b',
    ]);
  });

  it('of the same age are ordered by uid', () => {
    expect(holders(aPool('b', 1, [10, 19]), aPool('a', 1, [10, 19]))).toEqual(['a']);
  });

  it('do not depend on younger pools', () => {
    const [a, b, c] = [aPool('a', 1, [10, 19]), aPool('b', 2, [15, 25]), aPool('c', 3, [22, 29])];
    expect(holders(a, b, c)).toEqual(['a']);
    expect(holders(b, c)).toEqual(['b']);
  });

  it('conflict if a server address would be on two agents', () => {
    const servers = (...serverIPs: string[]) => ({ serverIP: serverIPs[0] ?? '', serverIPs });
    const a = aPool('a', 1, [10, 19], servers('10.0.0.2', '10.0.0.3'));
    expect(holders(a, aPool('b', 2, [20, 29], servers('10.0.0.3', '10.0.0.2')))).toEqual(['a']);
    expect(holders(a, aPool('b', 2, [20, 29], servers('10.0.0.2', '10.0.0.3')))).toEqual(['a', 'b']);
    expect(holders(a, aPool('b', 2, [20, 29], servers('10.0.0.4')))).toEqual(['a', 'b']);
  });

  it('may share a server address only on one subnet', () => {
    const wider = aPool('b', 2, [20, 29], { cidr: '10.0.0.0/16' });
    expect(holders(aPool('a', 1, [10, 19]), wider)).toEqual(['a']);
  });

  const A = { router: '10.0.0.1', reservations: [{ vmName: 'nas', ipAddress: '10.0.0.200' }] };

  it.each<[string, Ipv4Config, Ipv4Config, string]>([
    ['the router of', A, { serverIP: '10.0.0.1' }, 'spec.ipv4Config.serverIP 10.0.0.1 is the router of'],
    ['reserved in', A, { serverIP: '10.0.0.200' }, 'spec.ipv4Config.serverIP 10.0.0.200 is reserved in'],
    ['leased by', A, { serverIP: '10.0.0.15' }, 'spec.ipv4Config.serverIP 10.0.0.15 may be leased'],
    [
      'the router of the younger in',
      { serverIP: '10.0.0.3' },
      { serverIP: '10.0.0.4', router: '10.0.0.3' },
      'spec.ipv4Config.router 10.0.0.3 is a server of',
    ],
    [
      'reserved by the younger in',
      { serverIP: '10.0.0.3' },
      { serverIP: '10.0.0.4', reservations: [{ vmName: 'a', ipAddress: '10.0.0.3' }] },
      'spec.ipv4Config.reservations 10.0.0.3 is a server of',
    ],
    [
      'leased by the younger in',
      { serverIP: '10.0.0.25' },
      {},
      'spec.ipv4Config.pool 10.0.0.20-10.0.0.29 contains 10.0.0.25',
    ],
  ])(
    'conflict if a server address of one is %s the other; the younger one never serves',
    (_what, older, younger, said) => {
      const pools = [aPool('a', 1, [10, 19], older), aPool('b', 2, [20, 29], younger)];
      expect(holders(...pools)).toEqual(['a']);
      const [, b = aPool('b', 2, [0, 0])] = pools;
      const standing = standingOf(b, pools);
      if (standing.holds) throw new Error('it holds');
      const { field = '', value = '', message = '' } = standing.conflict ?? {};
      expect(`${field} ${value} ${message}`).toContain(said);
      expect(message).toContain('IPPool vms/a');
    },
  );

  it.each<[string, Ipv4Config]>([
    ['end is before its start', { pool: { start: '10.0.0.19', end: '10.0.0.10' } }],
    ['range is outside its network', { cidr: '10.1.0.0/24' }],
    ['router is not an address', { router: '10.0.0.256' }],
    ['exclude is invalid', { pool: { start: '10.0.0.10', end: '10.0.0.19', exclude: ['10.0.0.20-'] } }],
  ])('ignore a pool whose %s', (_what, config) => {
    expect(holders(aPool('a', 1, [10, 19], config), aPool('b', 2, [10, 19]))).toEqual(['b']);
  });
});
