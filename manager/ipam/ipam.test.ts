import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { formatIpv4, parseIpv4, type IPLease, type IPPool } from '../../api/index.ts';
import { KubeClient, systemClock } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { createNetworkCaches, type NetworkCaches } from '../networks/index.ts';
import { Ipam, leaseDraft, type Allocation, type Holder } from './ipam.ts';

const ROOT = '/apis/network.harvesterhci.io/v1alpha1/namespaces/vms';

const holder = (number: number): Holder => ({
  macAddress: `52:54:00:00:00:${String(number).padStart(2, '0')}`,
  vmNetworkConfigRef: { namespace: 'vms', name: `vm-${number}` },
});

function aPool(end: string, { generation = 1, exclude = [] as string[], name = 'pool', start = '10.0.0.10' } = {}) {
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPPool',
    metadata: { generation },
    spec: {
      networkName: 'prod',
      ipv4Config: { cidr: '10.0.0.0/24', serverIP: '10.0.0.2', pool: { start, end, exclude } },
    },
    name,
  };
}

describe('address allocation', () => {
  let api: ScriptedApi;
  let caches: NetworkCaches;
  let clock: FakeClock;
  let ipam: Ipam;
  let stop: AbortController;
  let running: Promise<void>[];

  beforeEach(() => {
    api = new ScriptedApi();
    clock = new FakeClock();
    stop = new AbortController();
    running = [];
    const client = new KubeClient({ transport: api, fieldManager: 'test' });
    caches = createNetworkCaches({ client, clock: systemClock, logger: silentLogger, namespaces: ['vms'] });
    ipam = new Ipam({ client, caches, clock });
  });
  afterEach(async () => {
    stop.abort();
    await Promise.all(running);
  });

  /** Until this call the caches are empty. */
  const readCaches = async (): Promise<void> => {
    running = caches.all.map((cache) => cache.run(stop.signal));
    await Promise.all(caches.all.map((cache) => cache.settled()));
  };
  const until = async (isSo: () => boolean): Promise<void> => {
    for (let turn = 0; turn < 1000 && !isSo(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(isSo()).toBe(true);
  };
  const putPool = ({ name, ...pool }: ReturnType<typeof aPool>): IPPool =>
    api.put(`${ROOT}/ippools/${name}`, pool) as IPPool;
  const putLease = (pool: IPPool, address: string, number: number): void => {
    const { metadata, spec } = leaseDraft(pool, parseIpv4(address) ?? 0, holder(number));
    api.put(`${ROOT}/ipleases/${metadata.name ?? ''}`, { apiVersion: 'x', kind: 'IPLease', metadata, spec } as IPLease);
  };
  const addressOf = (allocation: Allocation): string =>
    allocation.outcome === 'Leased' ? allocation.lease.spec.ipAddress : allocation.outcome;
  const allocate = async (pool: IPPool, number: number, preferred?: string): Promise<string> =>
    addressOf(await ipam.allocate(pool, holder(number), preferred === undefined ? undefined : parseIpv4(preferred)));
  const creates = (): number => api.requests.filter((request) => request.startsWith('POST')).length;

  it('goes through the range with one create per address until the range is full', async () => {
    const pool = putPool(aPool('10.0.0.12'));
    expect([
      await allocate(pool, 1),
      await allocate(pool, 2),
      await allocate(pool, 3),
      await allocate(pool, 4),
    ]).toEqual(['10.0.0.10', '10.0.0.11', '10.0.0.12', 'Full']);
    expect(creates()).toBe(3);
  });

  it('relies on the server if its cache is empty, and tries no address twice', async () => {
    const pool = putPool(aPool('10.0.0.19'));
    putLease(pool, '10.0.0.10', 8);
    putLease(pool, '10.0.0.11', 9);
    expect(await allocate(pool, 1)).toBe('10.0.0.12');
    expect(await allocate(pool, 2)).toBe('10.0.0.13');
    expect(creates()).toBe(4);
  });

  it('gives up for now if other managers always win', async () => {
    const pool = putPool(aPool('10.0.0.99'));
    for (let last = 10; last < 40; last += 1) putLease(pool, `10.0.0.${last}`, 8);
    expect(await allocate(pool, 1)).toBe('Contended');
    expect(await allocate(pool, 1)).toBe('10.0.0.40');
  });

  it('knows its own leases before the cache does', async () => {
    const pool = putPool(aPool('10.0.0.19'));
    await allocate(pool, 1);
    expect(ipam.leaseAt([pool], parseIpv4('10.0.0.10') ?? 0)?.spec.macAddress).toBe(holder(1).macAddress);
  });

  it('repeats a create that got no answer and finds its own lease', async () => {
    const pool = putPool(aPool('10.0.0.19'));
    api.intercept = ({ method }) => {
      if (method !== 'POST') return undefined;
      putLease(pool, '10.0.0.10', 1);
      throw new Error('socket hang up');
    };
    await expect(ipam.allocate(pool, holder(1))).rejects.toThrow('socket hang up');
    api.intercept = () => undefined;
    expect(await allocate(pool, 1)).toBe('10.0.0.10');
    expect(await allocate(pool, 2)).toBe('10.0.0.11');
  });

  it('returns an address to the pool if the server rejects the lease', async () => {
    const pool = putPool(aPool('10.0.0.10'));
    api.intercept = ({ method }) =>
      method === 'POST' ? { status: 422, body: { kind: 'Status', reason: 'Invalid' } } : undefined;
    await expect(ipam.allocate(pool, holder(1))).rejects.toMatchObject({ status: 422 });
    api.intercept = () => undefined;
    expect(await allocate(pool, 2)).toBe('10.0.0.10');
  });

  it('assigns the preferred address if it is free', async () => {
    const pool = putPool(aPool('10.0.0.19', { exclude: ['10.0.0.18'] }));
    expect(await allocate(pool, 1, '10.0.0.15')).toBe('10.0.0.15');
    expect(await allocate(pool, 2, '10.0.0.15')).toBe('10.0.0.10');
    expect(await allocate(pool, 3, '10.0.0.18')).toBe('10.0.0.11');
  });

  it('continues after the last lease when it restarts', async () => {
    const pool = putPool(aPool('10.0.0.19'));
    putLease(pool, '10.0.0.14', 8);
    await readCaches();
    expect(await allocate(pool, 1)).toBe('10.0.0.15');
  });

  it('skips addresses that another pool of the network has leased', async () => {
    const pool = putPool(aPool('10.0.0.19'));
    const other = putPool(aPool('10.0.0.29', { name: 'other', start: '10.0.0.20' }));
    putLease(other, '10.0.0.10', 8);
    await readCaches();
    expect(await allocate(pool, 1)).toBe('10.0.0.11');
    expect(ipam.leaseAt([pool, other], parseIpv4('10.0.0.10') ?? 0)?.spec.macAddress).toBe(holder(8).macAddress);
  });

  it('continues at its position when the range grows, and skips excluded addresses', async () => {
    const pool = putPool(aPool('10.0.0.11'));
    await readCaches();
    expect([await allocate(pool, 1), await allocate(pool, 2), await allocate(pool, 3)]).toEqual([
      '10.0.0.10',
      '10.0.0.11',
      'Full',
    ]);
    const wider = putPool(aPool('10.0.0.13', { generation: 2, exclude: ['10.0.0.12'] }));
    expect([await allocate(wider, 3), await allocate(wider, 4)]).toEqual(['10.0.0.13', 'Full']);
    expect(creates()).toBe(3);
  });

  it('reuses an address when its lease is gone, the longest free first, and never an excluded one', async () => {
    const pool = putPool(aPool('10.0.0.12'));
    await readCaches();
    for (const number of [1, 2]) await allocate(pool, number);
    await until(() => caches.leases.list().length === 2);
    api.delete(`${ROOT}/ipleases/pool.10.0.0.10`);
    await until(() => caches.leases.list().length === 1);
    expect([await allocate(pool, 3), await allocate(pool, 4)]).toEqual(['10.0.0.12', '10.0.0.10']);
    await until(() => caches.leases.list().length === 3);
    const narrower = putPool(aPool('10.0.0.12', { generation: 2, exclude: ['10.0.0.11'] }));
    expect(await allocate(narrower, 5)).toBe('Full');
    api.delete(`${ROOT}/ipleases/pool.10.0.0.11`);
    await until(() => caches.leases.list().length === 2);
    expect(await allocate(narrower, 5)).toBe('Full');
  });

  it('does not treat an address as taken forever if no cache ever reports a lease', async () => {
    const pool = putPool(aPool('10.0.0.10'));
    putLease(pool, '10.0.0.10', 8);
    expect(await allocate(pool, 1)).toBe('Full');
    api.delete(`${ROOT}/ipleases/pool.10.0.0.10`);
    await clock.advance(31_000);
    expect(await allocate(pool, 1)).toBe('10.0.0.10');
  });

  it('reuses an address after a failed create without an answer that is never repeated', async () => {
    const pool = putPool(aPool('10.0.0.10'));
    await readCaches();
    api.intercept = ({ method }) => {
      if (method === 'POST') throw new Error('socket hang up');
      return undefined;
    };
    await expect(ipam.allocate(pool, holder(1))).rejects.toThrow('socket hang up');
    api.intercept = () => undefined;
    expect(await ipam.allocate(pool, holder(2))).toEqual({ outcome: 'Full', lookAgain: 10_000 });
    await clock.advance(10_000);
    expect(await allocate(pool, 2)).toBe('10.0.0.10');
  });

  it('does not retry an address that has been excluded since', async () => {
    const pool = putPool(aPool('10.0.0.19'));
    api.intercept = ({ method }) => {
      if (method === 'POST') throw new Error('socket hang up');
      return undefined;
    };
    await expect(ipam.allocate(pool, holder(1))).rejects.toThrow('socket hang up');
    api.intercept = () => undefined;
    const narrower = putPool(aPool('10.0.0.19', { generation: 2, exclude: ['10.0.0.10'] }));
    expect(await allocate(narrower, 1)).toBe('10.0.0.11');
  });

  it("uses the pool's current exclusions even if the caller has an old copy", async () => {
    const pool = putPool(aPool('10.0.0.19'));
    await readCaches();
    expect(await allocate(pool, 1)).toBe('10.0.0.10');
    putPool(aPool('10.0.0.19', { generation: 2, exclude: ['10.0.0.11'] }));
    await until(() => caches.pools.get({ namespace: 'vms', name: 'pool' })?.metadata.generation === 2);
    expect(await allocate(pool, 2)).toBe('10.0.0.12');
  });

  it('assigns no address of a deleted pool, and keeps no state for a new pool of the same name', async () => {
    const pool = putPool(aPool('10.0.0.19'));
    await readCaches();
    await allocate(pool, 1);
    await until(() => caches.leases.list().length === 1);
    api.delete(`${ROOT}/ippools/pool`);
    api.delete(`${ROOT}/ipleases/pool.10.0.0.10`);
    await until(() => caches.pools.list().length + caches.leases.list().length === 0);
    expect([await allocate(pool, 2), addressOf(await ipam.claim(pool, 0x0a00000b, holder(2)))]).toEqual([
      'Contended',
      'Contended',
    ]);
    expect(creates()).toBe(1);
    const again = putPool(aPool('10.0.0.19'));
    await until(() => caches.pools.list().length === 1);
    expect([await allocate(pool, 2), await allocate(again, 2)]).toEqual(['Contended', '10.0.0.10']);
  });

  it('keeps to the limit of a namespace, and reads no more leases the more it has', async () => {
    const pool = putPool(aPool('10.0.0.250'));
    for (let last = 10; last < 110; last += 1) putLease(pool, `10.0.0.${last}`, last);
    await readCaches();
    const client = new KubeClient({ transport: api, fieldManager: 'test' });
    ipam = new Ipam({ client, caches, clock, addressesPerNamespace: 103 });
    await allocate(pool, 1);
    const read = vi.spyOn(caches.leases, 'byIndex');
    expect([await allocate(pool, 2), await allocate(pool, 3)]).toEqual(['10.0.0.111', '10.0.0.112']);
    expect(await allocate(pool, 4)).toBe('QuotaExceeded');
    await until(() => caches.leases.list().length === 103);
    expect(await allocate(pool, 4)).toBe('QuotaExceeded');
    api.delete(`${ROOT}/ipleases/pool.10.0.0.10`);
    await until(() => caches.leases.list().length === 102);
    expect(await allocate(pool, 4)).not.toBe('QuotaExceeded');
    const objects = read.mock.results.reduce((sum, { value }) => sum + (value as readonly IPLease[]).length, 0);
    expect(objects).toBe(0);
  });

  it('claims the given address, inside or outside the range, and reports its holder', async () => {
    const pool = putPool(aPool('10.0.0.19'));
    const claim = async (text: string, number: number) => await ipam.claim(pool, parseIpv4(text) ?? 0, holder(number));
    expect(addressOf(await claim('10.0.0.200', 1))).toBe('10.0.0.200');
    expect(await claim('10.0.0.200', 2)).toMatchObject({
      outcome: 'InUse',
      by: { spec: { macAddress: holder(1).macAddress } },
    });
    expect(addressOf(await claim('10.0.0.10', 3))).toBe('10.0.0.10');
    expect(await allocate(pool, 4)).toBe(formatIpv4(0x0a00000b));
  });
});
