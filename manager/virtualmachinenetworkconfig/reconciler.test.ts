import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NETWORK_CONFIG_FINALIZER, type IPLease, type VirtualMachineNetworkConfig } from '../../api/index.ts';
import { EventRecorder, KubeClient, systemClock } from '@groundcrew/controller-runtime';
import { ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { Ipam } from '../ipam/index.ts';
import { createNetworkCaches, type NetworkCaches } from '../networks/index.ts';
import { PoolOrder } from './pool-order.ts';
import { NetworkConfigReconciler } from './reconciler.ts';
import { aConfig, aLease, aPool } from './testing/builders.ts';
import { Waiting } from './waiting.ts';

const ROOT = '/apis/network.harvesterhci.io/v1alpha1/namespaces/vms';
const WEB = { namespace: 'vms', name: 'web' };

describe('a config', () => {
  let api: ScriptedApi;
  let caches: NetworkCaches;
  let waiting: Waiting;
  let reconciler: NetworkConfigReconciler;
  let events: EventRecorder;
  let stop: AbortController;
  let running: Promise<void>[];

  beforeEach(async () => {
    api = new ScriptedApi();
    stop = new AbortController();
    const client = new KubeClient({ transport: api, fieldManager: 'test' });
    const common = { client, clock: systemClock, logger: silentLogger };
    // The server has no virtual machines.
    caches = { ...createNetworkCaches({ ...common, namespaces: ['vms'] }), hasKubeVirt: () => false };
    events = new EventRecorder({ ...common, component: 'test' });
    const ipam = new Ipam({ ...common, caches });
    const pools = new PoolOrder(caches, ipam);
    waiting = new Waiting(caches.leases);
    const { virtualMachines } = caches;
    reconciler = new NetworkConfigReconciler({
      ...{ ...common, caches, ipam, pools, waiting, virtualMachines, events },
      grace: 0,
    });
    running = caches.all.map((cache) => cache.run(stop.signal));
    await Promise.all(caches.all.map((cache) => cache.settled()));
  });
  afterEach(async () => {
    await events.flush();
    stop.abort();
    await Promise.all(running);
  });

  const until = async (isSo: () => boolean): Promise<void> => {
    for (let turn = 0; turn < 1000 && !isSo(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(isSo()).toBe(true);
  };

  it('retries if the lease that it wants back was just deleted', async () => {
    const lease = aLease('10.0.0.10', { labels: ['released'] });
    const { metadata, ...pool } = aPool();
    api.put(`${ROOT}/ippools/pool`, { ...pool, metadata: { generation: metadata.generation } });
    api.put(`${ROOT}/ipleases/${lease.metadata.name}`, lease);
    const networkConfigs = [{ networkName: 'prod', macAddress: '52:54:00:00:00:01' }];
    const config = aConfig({ networkConfigs }, { finalizers: [NETWORK_CONFIG_FINALIZER] });
    api.put(`${ROOT}/virtualmachinenetworkconfigs/web`, config);
    await until(() => caches.configs.list().length + caches.leases.list().length + caches.pools.list().length === 3);
    const written: unknown[] = [];
    api.intercept = ({ method, path, body }) => {
      if (method === 'PATCH' && path.includes('/ipleases/'))
        return { status: 404, body: { kind: 'Status', code: 404 } };
      if (method !== 'PATCH') return undefined;
      written.push((JSON.parse(String(body)) as VirtualMachineNetworkConfig).status?.networkConfigs);
      return { status: 200, body: config };
    };
    expect(await reconciler.reconcile(WEB)).toEqual({ requeueAfter: 200 });
    expect(written).toEqual([[{ ...networkConfigs[0], state: 'Pending' }]]);
  });

  it('gets an address that becomes free while it writes that the pool is full', async () => {
    const { metadata, spec, ...pool } = aPool('pool', { pool: { start: '10.0.0.10', end: '10.0.0.10' } });
    api.put(`${ROOT}/ippools/pool`, { ...pool, spec, metadata: { generation: metadata.generation } } as never);
    const lease: IPLease = aLease('10.0.0.10', { config: 'other', vm: 'other', mac: '52:54:00:00:00:09' });
    const { uid } = api.put(`${ROOT}/ipleases/${lease.metadata.name}`, lease).metadata;
    const networkConfigs = [{ networkName: 'prod', macAddress: '52:54:00:00:00:01' }];
    const config = aConfig({ networkConfigs }, { finalizers: [NETWORK_CONFIG_FINALIZER] });
    api.put(`${ROOT}/virtualmachinenetworkconfigs/web`, config);
    await until(() => caches.configs.list().length + caches.leases.list().length + caches.pools.list().length === 3);
    const woken: string[] = [];
    const end = waiting.start(({ name }) => woken.push(name));
    let isFreed = false;
    api.intercept = async ({ method, path }) => {
      if (method !== 'PATCH' || !path.includes('/status')) return undefined;
      if (!isFreed) api.delete(`${ROOT}/ipleases/${lease.metadata.name}`);
      isFreed = true;
      await until(() => caches.leases.get(lease.metadata)?.metadata.uid !== uid);
      return { status: 200, body: config };
    };
    expect(await reconciler.reconcile(WEB)).toEqual({ requeueAfter: 0 });
    expect(woken).toEqual([]);
    await reconciler.reconcile(WEB);
    expect([...api.objects.keys()]).toContain(`${ROOT}/ipleases/pool.10.0.0.10`);
    expect(waiting.size).toBe(0);
    end();
  });
});
