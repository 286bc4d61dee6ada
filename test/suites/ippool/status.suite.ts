import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { IP_LEASES, IP_POOLS, LABELS } from '../../../api/index.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { installMultus } from '../../harness/multus.ts';
import { standInForAgents } from '../../harness/agent-pods.ts';
import { Scene } from './scene.ts';

const c = await cluster();
const MAC = '52:54:00:00:00:';
const macOf = (octet: number) => MAC + octet.toString(16).padStart(2, '0');

beforeAll(async () => {
  await installMultus(c.client);
  await c.standIns({ parts: ['deployments'] });
  await c.manager();
});

describe('the status of a pool', () => {
  let scene: Scene;

  beforeEach(async () => {
    scene = await Scene.in(c);
    standInForAgents(c.client, scene.namespace);
    await scene.createNetwork();
  });

  async function untilUsage(expected: object): Promise<void> {
    await eventually(async () => {
      expect((await scene.pool()).status?.ipv4).toEqual(expected);
    });
  }

  it('shows leased and excluded addresses in the format of vm-dhcp-controller', async () => {
    const pool = { start: '10.48.0.1', end: '10.48.0.8', exclude: ['10.48.0.7'] };
    await scene.createPool('pool', { ipv4Config: { router: '10.48.0.1', pool } });
    await scene.createLease('10.48.0.4', `${MAC}04`);
    const marks = { '10.48.0.1': 'RESERVED', '10.48.0.2': 'RESERVED', '10.48.0.7': 'EXCLUDED' };
    const counts = { used: 0, available: 5, total: 5, resting: 0 };
    await untilUsage({ ...counts, allocated: { ...marks, '10.48.0.4': `${MAC}04` }, used: 1, available: 4 });
    await c.client.delete(IP_LEASES, scene.ref('pool.10.48.0.4'));
    await untilUsage({ ...counts, allocated: marks });
  });

  it('follows a burst of leases with few writes and ends with all of them', async () => {
    await scene.createPool();
    await scene.untilPhase('Ready');
    const { resourceVersion = '' } = (await scene.pool()).metadata;
    const stop = new AbortController();
    onTestFinished(() => {
      stop.abort();
    });
    let writes = 0;
    const watching = (async () => {
      const options = { namespace: scene.namespace, resourceVersion, timeoutSeconds: 60, signal: stop.signal };
      for await (const event of c.client.watch(IP_POOLS, options)) if (event.type === 'MODIFIED') writes += 1;
    })().catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    const started = performance.now();
    for (let last = 10; last <= 109; last += 1) await scene.createLease(`10.48.0.${last}`, macOf(last));
    await eventually(async () => {
      expect((await scene.pool()).status?.ipv4).toMatchObject({ used: 100, available: 91 });
    });
    const seconds = (performance.now() - started) / 1000;
    stop.abort();
    await watching;
    expect(writes).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
  });

  it('keeps an active lease whose address becomes excluded, and reports it until it is released', async () => {
    await scene.createPool();
    await scene.createLease('10.48.0.20', `${MAC}20`);
    await scene.patchPool({ ipv4Config: { pool: { exclude: ['10.48.0.20-10.48.0.21'] } } });
    const { message } = await scene.untilCondition('CacheReady', 'True', 'LeasesOutsidePool');
    expect(message).toContain(`10.48.0.20 (${MAC}20)`);
    await scene.untilEvent('LeasesOutsidePool');
    await untilUsage({
      allocated: { '10.48.0.20': `${MAC}20`, '10.48.0.21': 'EXCLUDED' },
      used: 1,
      available: 189,
      total: 189,
      resting: 0,
    });
    await c.client.delete(IP_LEASES, scene.ref('pool.10.48.0.20'));
    await scene.untilCondition('CacheReady', 'True', 'CacheReady');
  });

  it('reports an exhausted pool, and its recovery', async () => {
    await scene.createPool('pool', { ipv4Config: { pool: { start: '10.48.0.10', end: '10.48.0.11' } } });
    for (const last of [10, 11]) await scene.createLease(`10.48.0.${last}`, macOf(last));
    const { message } = await scene.untilCondition('Exhausted', 'True', 'Exhausted');
    expect(message).toContain('All 2 addresses are taken. Widen spec.ipv4Config.pool');
    await scene.untilEvent('Exhausted');
    await scene.patchPool({ ipv4Config: { pool: { end: '10.48.0.12' } } });
    await scene.untilCondition('Exhausted', 'False', 'AddressesAvailable');
  });

  it('shows that a pool is full of resting addresses, until when, and what to do', async () => {
    await scene.createPool('pool', { ipv4Config: { pool: { start: '10.48.0.10', end: '10.48.0.11' } } });
    const released = { metadata: { labels: { [LABELS.released]: 'true' } } };
    for (const [last, expires] of [
      [10, '2099-01-02T00:00:00Z'],
      [11, '2099-01-01T00:00:00Z'],
    ] as const) {
      await scene.createLease(`10.48.0.${last}`, macOf(last));
      const ref = scene.ref(`pool.10.48.0.${last}`);
      await c.client.patch(IP_LEASES, ref, 'merge', { status: { state: 'Bound', expires } }, { subresource: 'status' });
      await c.client.patch(IP_LEASES, ref, 'merge', released);
    }
    await untilUsage({ used: 0, available: 0, total: 2, resting: 2, nextFree: '2099-01-01T00:00:00Z' });
    const { message } = await scene.untilCondition('Exhausted', 'True', 'Exhausted');
    expect(message).toContain('the first at 2099-01-01T00:00:00Z');
    await c.client.delete(IP_LEASES, scene.ref('pool.10.48.0.11'));
    await scene.untilCondition('Exhausted', 'False', 'AddressesAvailable');
  });

  it('reports a conflict while an address is in quarantine, and names the command that ends it', async () => {
    await scene.createPool();
    const { metadata } = await scene.createLease('10.48.0.20', `${MAC}20`);
    const status = { state: 'Declined', conflictingMAC: `${MAC}99` };
    await c.client.patch(IP_LEASES, scene.ref(metadata.name), 'merge', { status }, { subresource: 'status' });
    await scene.untilCondition('ConflictDetected', 'True', 'AddressInUse');
    await c.client.patch(IP_LEASES, scene.ref(metadata.name), 'merge', {
      metadata: { labels: { [LABELS.released]: 'true' } },
    });
    await eventually(async () => {
      const { message } = await scene.untilCondition('ConflictDetected', 'True', 'AddressInUse');
      expect(message).toContain(`10.48.0.20 (${MAC}20, in conflict with ${MAC}99)`);
      expect(message).toContain(`kubectl delete iplease -n ${scene.namespace} pool.10.48.0.20`);
    });
    await c.client.delete(IP_LEASES, scene.ref(metadata.name));
    await scene.untilCondition('ConflictDetected', 'False', 'NoConflict');
  });

  it('shows no private address of an NTP server given by name', async () => {
    await scene.createPool('pool', { ipv4Config: { ntp: ['10.0.0.1', 'localhost'] } });
    await eventually(async () => {
      expect((await scene.pool()).status?.ipv4?.ntpServers).toEqual(['10.0.0.1']);
    });
    expect((await scene.untilEvent('NTPServerNotFound')).message).toContain('NTP server localhost has no address');
  });
});

describe('a paused pool', () => {
  it('has no agents and keeps its leases, and is served again after the pause', async () => {
    const scene = await Scene.in(c);
    standInForAgents(c.client, scene.namespace);
    await scene.createNetwork();
    await scene.createPool();
    await scene.untilPhase('Ready');
    await scene.createLease('10.48.0.10', `${MAC}10`);
    await scene.patchPool({ paused: true });
    await scene.untilPhase('Paused');
    await scene.untilCondition('Stopped', 'True', 'Paused');
    await scene.untilDeployments([]);
    expect(await scene.leases()).toEqual(['pool.10.48.0.10']);
    await scene.patchPool({ paused: false });
    expect((await scene.untilPhase('Ready')).status?.ipv4?.used).toBe(1);
    await scene.untilCondition('Stopped', 'False', 'NotPaused');
  });
});

describe('a deleted pool', () => {
  it('is deleted with its agents and leases', async () => {
    const scene = await Scene.in(c);
    standInForAgents(c.client, scene.namespace);
    await scene.createNetwork();
    await scene.createPool();
    await scene.untilPhase('Ready');
    await scene.createLease('10.48.0.10', `${MAC}10`);
    await scene.deletePool();
    await scene.untilDeployments([]);
    // The garbage collector of the cluster is slow.
    await eventually(
      async () => {
        expect(await scene.leases()).toEqual([]);
      },
      { timeout: 45_000 },
    );
  });
});
