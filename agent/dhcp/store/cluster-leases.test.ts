import { beforeEach, describe, expect, it } from 'vitest';
import { KubeClient } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { lease, LEASES, mac, macText, NETWORK, pool, POOLS } from '../testing/builders.ts';
import { ClusterLeases, isFresh } from './cluster-leases.ts';
import { LeaseReader } from './lease-record.ts';
import { LeaseTable } from './lease-table.ts';
import { PoolTable } from '../pools/pool-table.ts';

let api: ScriptedApi;
let clock: FakeClock;
let leases: LeaseTable;
let pools: PoolTable;
let cluster: ClusterLeases;

beforeEach(() => {
  api = new ScriptedApi();
  clock = new FakeClock();
  leases = new LeaseTable({
    isFresh: () => cluster.isFresh,
    onDuplicate: () => undefined,
    onInvalid: () => undefined,
  });
  pools = new PoolTable({
    network: NETWORK,
    serverIndex: 0,
    onChange: (key, settings) => {
      leases.setPool(key, settings);
    },
    onProblems: () => undefined,
  });
  const client = new KubeClient({ transport: api, fieldManager: 'test' });
  const tables = { pools, leases };
  const namespaces = ['default'];
  cluster = new ClusterLeases({
    client,
    network: NETWORK,
    namespaces,
    ...tables,
    clock,
    random: () => 0.5,
    logger: silentLogger,
  });
});

async function start(): Promise<void> {
  void cluster.run(new AbortController().signal);
  await cluster.synced();
  await clock.advance(0);
}

const address = (index: number) => leases.find(mac(index))?.ipAddress;

describe('leases from the API server', () => {
  it('are the unreleased leases of the network, from one watch per kind and namespace', async () => {
    await start();
    const selector =
      'labelSelector=network.harvesterhci.io%2Fnetwork%3Ddefault.vlan10%2C%21network.harvesterhci.io%2Freleased';
    expect(api.requests.filter((request) => request.includes('watch=true'))).toHaveLength(2);
    expect(
      api.requests.filter((request) => request.includes('/ipleases?')).every((request) => request.includes(selector)),
    ).toBe(true);
  });

  it('know the other served pools of their network', async () => {
    const other = { cidr: '10.9.0.0/24', serverIP: '10.9.0.2', pool: { start: '10.9.0.10', end: '10.9.0.20' } };
    api.put(`${LEASES}/prod.10.0.0.1`, lease(1));
    api.put(`${POOLS}/prod`, pool());
    api.put(`${POOLS}/other`, pool(other, { name: 'other' }));
    api.put(
      `${POOLS}/elsewhere`,
      pool({ ...other, cidr: '10.8.0.0/24' }, { name: 'elsewhere', networkName: 'default/vlan20' }),
    );
    await start();
    expect(leases.find(mac(1))?.settings.others).toEqual([{ subnet: 0x0a090000, prefix: 24 }]);
    api.put(`${POOLS}/other`, pool(other, { name: 'other', paused: true }));
    await clock.advance(0);
    expect(leases.find(mac(1))?.settings.others).toBeUndefined();
  });

  it('are served synchronously with a watch event', async () => {
    api.put(`${POOLS}/prod`, pool());
    await start();
    const requests = api.requests.length;
    const timers = clock.timers;
    for (let index = 1; index <= 100; index += 1) api.put(`${LEASES}/prod.10.0.0.${index}`, lease(index));
    api.delete(`${LEASES}/prod.10.0.0.100`);
    // The fake clock does not advance, so no timer has run.
    await clock.advance(0);
    expect(
      Array.from({ length: 100 }, (_, index) => address(index + 1)).filter((value) => value !== undefined),
    ).toHaveLength(99);
    expect([api.requests.length, clock.timers]).toEqual([requests, timers]);
  });

  it('follow changes of the spec of their pool and ignore its status', async () => {
    api.put(`${POOLS}/prod`, pool());
    api.put(`${LEASES}/prod.10.0.0.1`, lease(1));
    await start();
    const before = leases.find(mac(1));
    api.put(`${POOLS}/prod`, {
      ...pool(),
      status: { ipv4: { allocated: { '10.0.0.1': macText(1) }, used: 1 } },
    } as object as ReturnType<typeof pool>);
    await clock.advance(0);
    expect(leases.find(mac(1))).toBe(before);
    api.put(`${POOLS}/prod`, pool({ dns: ['10.0.0.53'] }));
    await clock.advance(0);
    expect(leases.find(mac(1))?.settings.dns).toEqual([0x0a000035]);
  });

  it('follow changes during a broken watch with expired history', async () => {
    api.put(`${POOLS}/prod`, pool());
    api.put(`${LEASES}/prod.10.0.0.1`, lease(1));
    api.put(`${LEASES}/prod.10.0.0.2`, lease(2));
    await start();
    api.intercept = () => {
      throw new Error('connection refused');
    };
    api.endWatches('reset');
    api.delete(`${LEASES}/prod.10.0.0.1`);
    api.delete(`${LEASES}/prod.10.0.0.2`);
    api.put(`${LEASES}/prod.10.0.0.2`, lease(2, { macAddress: macText(9) }));
    api.compact();
    await clock.advance(5000);
    expect([address(1), address(2)]).toEqual([0x0a000001, 0x0a000002]);
    api.intercept = () => undefined;
    await clock.advance(15_000);
    expect([address(1), address(2), address(9)]).toEqual([undefined, undefined, 0x0a000002]);
  });

  it('are not fresh while the API server is down and for a second after', async () => {
    await start();
    expect(leases.isFresh).toBe(false);
    await clock.advance(1000);
    expect(leases.isFresh).toBe(true);
    api.intercept = () => {
      throw new Error('connection refused');
    };
    api.endWatches('reset');
    await clock.advance(0);
    expect(leases.isFresh).toBe(false);
    api.intercept = () => undefined;
    await clock.advance(15_000);
    expect(leases.isFresh).toBe(true);
  });

  it('are not fresh on a dead connection that was not closed', async () => {
    await start();
    await clock.advance(80_000);
    api.bookmark();
    await clock.advance(80_000);
    expect([leases.isFresh, cluster.age]).toEqual([true, 80_000]);
    await clock.advance(51_000);
    expect(leases.isFresh).toBe(false);
  });

  it('have an age that grows while the API server is down or silent', async () => {
    expect(cluster.age).toBeUndefined();
    await start();
    expect(cluster.age).toBe(0);
    await clock.advance(3000);
    api.intercept = () => {
      throw new Error('connection refused');
    };
    api.endWatches('reset');
    await clock.advance(57_000);
    expect(cluster.age).toBe(60_000);
    api.intercept = () => undefined;
    await clock.advance(15_000);
    expect(cluster.age).toBeLessThan(15_000);
  });

  it('replace those of a snapshot', async () => {
    const reader = new LeaseReader();
    for (const old of [pool({ pool: { start: '10.0.0.201', end: '10.0.0.202' } }, { name: 'gone' }), pool()])
      pools.put(old);
    for (const index of [1, 2]) leases.put(reader.recordOf(lease(index)));
    expect(address(1)).toBe(0x0a000001);
    api.put(`${POOLS}/prod`, pool());
    api.put(`${LEASES}/prod.10.0.0.2`, lease(2));
    await start();
    expect([address(1), address(2)]).toEqual([undefined, 0x0a000002]);
    expect([...pools.pools.keys()]).toEqual(['default/prod']);
  });

  it('of a namespace whose list has arrived are not replaced by a snapshot', async () => {
    api.put(`${POOLS}/prod`, pool());
    api.put(`${LEASES}/prod.10.0.0.2`, lease(2, { macAddress: macText(9) }));
    api.intercept = ({ path }) => {
      if (path.startsWith(POOLS)) throw new Error('connection refused');
      return undefined;
    };
    void cluster.run(new AbortController().signal);
    await clock.advance(2000);
    expect(cluster.missing).toBe('ippools');
    const reader = new LeaseReader();
    pools.put(pool({ dns: ['10.0.0.53'] }));
    leases.restore([1, 2].map((index) => reader.recordOf(lease(index))));
    expect([address(1), address(2), address(9)]).toEqual([undefined, undefined, 0x0a000002]);
    api.intercept = () => undefined;
    await clock.advance(15_000);
    await cluster.synced();
    expect([address(1), address(2), address(9)]).toEqual([undefined, undefined, 0x0a000002]);
    expect(leases.find(mac(9))?.settings.dns).toEqual([]);
  });
});

const watch = (opened: number, heard: number) => ({ opened, heard });

describe('freshness', () => {
  it('requires all watches to be open', () => {
    expect(isFresh([watch(0, 5000), watch(0, 5000)], 5000)).toBe(true);
    expect(isFresh([watch(0, 5000), undefined], 5000)).toBe(false);
  });

  it('requires a watch to be open for a second, for missed changes', () => {
    expect(isFresh([watch(4001, 4001)], 5000)).toBe(false);
    expect(isFresh([watch(4000, 4000)], 5000)).toBe(true);
  });

  it('lasts for the two minutes after which a silent watch is reopened', () => {
    expect(isFresh([watch(0, 0)], 121_000)).toBe(true);
  });

  it('ends after 130 seconds without data', () => {
    expect(isFresh([watch(0, 0)], 130_000)).toBe(true);
    expect(isFresh([watch(0, 0)], 130_001)).toBe(false);
  });
});
