import { describe, expect, it, onTestFinished } from 'vitest';
import type { IPPool } from '../../../api/index.ts';
import { EventRecorder, KubeClient, type KubeObject } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { createNetworkCaches } from '../../networks/index.ts';
import { NetworkReports } from '../agents/reports.ts';
import { createAgentCaches } from '../caches.ts';
import { NtpNames } from '../ntp-names.ts';
import { aLease, aPool } from '../testing/builders.ts';
import { PoolReconciler } from './reconciler.ts';

const GROUP = '/apis/network.harvesterhci.io/v1alpha1/namespaces/vms';
const POOL = { namespace: 'vms', name: 'pool' };

/** A reconciler with an API server in memory and the pool `pool`. */
async function setUp() {
  const clock = new FakeClock();
  const api = new ScriptedApi();
  const written: { used?: number }[] = [];
  api.put(`${GROUP}/ippools/pool`, aPool());
  api.intercept = ({ method, path, body }) => {
    if (method !== 'PATCH' || !path.includes('/ippools/pool/status')) return undefined;
    const { status } = JSON.parse(body ?? '') as { status: { ipv4: { used?: number } } }; // as the reconciler sends it
    written.push(status.ipv4);
    const stored: KubeObject = { ...aPool(), ...{ status } };
    return { status: 200, body: api.put(`${GROUP}/ippools/pool`, stored) };
  };
  const client = new KubeClient({ transport: api, fieldManager: 'groundcrew-manager' });
  const reading = { client, clock, logger: silentLogger, namespaces: [] };
  const caches = createNetworkCaches(reading);
  const agentCaches = createAgentCaches(reading);
  const stop = new AbortController();
  const running = [...caches.all, ...agentCaches.all].map((cache) => cache.run(stop.signal));
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(running);
  });
  const reconciler = new PoolReconciler({
    ...reading,
    caches,
    agentCaches,
    agents: { image: 'groundcrew' },
    reports: new NetworkReports(),
    ntpNames: new NtpNames({ resolve: () => Promise.resolve([]), allowedRanges: [], clock, logger: silentLogger }),
    events: new EventRecorder({ client, component: 'test', clock, logger: silentLogger }),
  });
  await clock.advance(0);
  const lease = async (last: number) => {
    api.put(`${GROUP}/ipleases/pool.10.0.0.${last}`, aLease(`10.0.0.${last}`));
    await clock.advance(0);
  };
  return { clock, api, written, lease, look: () => reconciler.reconcile(POOL) };
}

describe('a pool whose leases change all the time', () => {
  it('is written at most once a second, and finally with the last state', async () => {
    const { clock, written, lease, look } = await setUp();
    await look();
    expect(written).toMatchObject([{ used: 0 }]);
    for (let last = 10; last < 20; last += 1) {
      await lease(last);
      expect((await look())?.requeueAfter).toBe(1000 - (last - 10) * 100);
      await clock.advance(100);
    }
    await look();
    expect(written).toMatchObject([{ used: 0 }, { used: 10 }]);
    await clock.advance(100_000);
    expect(await look()).toBeUndefined();
    expect(written).toHaveLength(2);
  });

  it("is not written later because the system's time is set back", async () => {
    const { clock, written, lease, look } = await setUp();
    await look();
    clock.set(-3_600_000);
    await lease(10);
    expect((await look())?.requeueAfter).toBe(1000);
    await clock.advance(1000);
    await look();
    expect(written).toMatchObject([{ used: 0 }, { used: 1 }]);
  });

  it('is not written twice if the cache does not have the first write yet', async () => {
    const { clock, api, written, look } = await setUp();
    api.intercept = ({ method, path, body }) => {
      if (method !== 'PATCH' || !path.includes('/ippools/pool/status')) return undefined;
      const { status } = JSON.parse(body ?? '') as Pick<IPPool, 'status'>; // as the reconciler sends it
      written.push(status?.ipv4 ?? {});
      return { status: 200, body: { ...aPool(), status } };
    };
    await look();
    await clock.advance(2000);
    await look();
    expect(written).toHaveLength(1);
  });
});
