import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ANNOTATIONS, IP_LEASES, LABELS, VIRTUAL_MACHINE_NETWORK_CONFIGS } from '../../../api/index.ts';
import { systemClock } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../harness/index.ts';
import { condition, mac, on, Scene } from './scene.ts';
import type { TestManager } from './test-manager.ts';

const c = await cluster();

const NEVER = '2099-01-01T00:00:00Z';

describe('the release of a lease', () => {
  let scene: Scene;

  beforeEach(async () => {
    scene = await Scene.in(c);
    await scene.createPool('pool', { end: '10.0.0.11' });
  });
  afterEach(() => scene.close());

  /** Creates a config whose interface has 10.0.0.10, bound to a client until `expires`. */
  const bound = async (expires: string): Promise<void> => {
    await scene.createConfig('web', [on(mac(1))]);
    await scene.untilAddresses('web', '10.0.0.10');
    await scene.reportLease('10.0.0.10', { state: 'Bound', lastAck: '2026-01-01T00:00:00Z', expires });
  };

  const untilReleased = async (address: string) =>
    await eventually(async () => {
      const lease = await scene.findLease(address);
      expect(lease?.metadata.labels?.[LABELS.released]).toBe('true');
      return lease;
    });

  const untilState = async (state: string, phase: string): Promise<void> => {
    await eventually(async () => {
      expect((await scene.findLease('10.0.0.10'))?.status).toMatchObject({ state, phase });
    });
  };

  const breakOff = async ({ transport, caches }: TestManager): Promise<void> => {
    transport.cut();
    transport.restore();
    await eventually(() => {
      expect(caches.leasesAwayUntil()).toBeDefined();
    });
  };

  it('follows the deletion of its config; the address is not leased again while the client may hold it', async () => {
    scene.manager();
    await bound(NEVER);
    await scene.deleteConfig('web');
    const lease = await untilReleased('10.0.0.10');
    expect(Date.parse(lease?.metadata.annotations?.[ANNOTATIONS.releasedAt] ?? '')).not.toBeNaN();
    expect(await scene.untilEvent('AddressReleased', 'web')).toMatchObject({ type: 'Normal' });
    await untilState('Resting', 'Released');
    // An agent reports an acknowledgement from before the release.
    await scene.reportLease('10.0.0.10', { state: 'Bound', expires: NEVER });
    await untilState('Resting', 'Released');
    await scene.createConfig('a', [on(mac(2))]);
    await scene.untilAddresses('a', '10.0.0.11');
    await scene.createConfig('b', [on(mac(3))]);
    await scene.untilReason('b', 'PoolExhausted');
    // The lease has expired. Agents report this only for served leases; the test reports it for any lease.
    await scene.reportLease('10.0.0.10', { expires: '2026-01-01T00:00:00Z' });
    await scene.untilAddresses('b', '10.0.0.10');
  });

  it('is not early because the system’s time is set forward', async () => {
    let ahead = 0;
    scene.manager({ clock: { ...systemClock, now: () => Date.now() + ahead } });
    await bound(new Date(Date.now() + 3_600_000).toISOString());
    await scene.deleteConfig('web');
    await untilReleased('10.0.0.10');
    ahead = 172_800_000;
    // The manager looks at the lease again.
    await scene.reportLease('10.0.0.10', { lastAck: '2026-01-02T00:00:00Z' });
    await scene.createConfig('a', [on(mac(2))]);
    await scene.untilAddresses('a', '10.0.0.11');
    await scene.deleteConfig('a');
    await scene.untilFree('10.0.0.11');
    expect(await scene.findLease('10.0.0.10')).toBeDefined();
  });

  it('is immediate, except for a short grace period, for addresses that were released by the client or never used', async () => {
    scene.manager();
    await bound(NEVER);
    await scene.createConfig('b', [on(mac(2))]);
    await scene.untilAddresses('b', '10.0.0.11');
    await scene.reportLease('10.0.0.10', { state: 'Released' });
    await scene.deleteConfig('web');
    await scene.deleteConfig('b');
    await scene.untilFree('10.0.0.10');
    await scene.untilFree('10.0.0.11');
  });

  it('waits for the grace period, after which no agent serves the address', async () => {
    scene.manager({ releaseGrace: 600_000 });
    await scene.createConfig('web', [on(mac(1))]);
    await scene.untilAddresses('web', '10.0.0.10');
    await scene.deleteConfig('web');
    await untilReleased('10.0.0.10');
    await scene.createConfig('a', [on(mac(2))]);
    await scene.untilAddresses('a', '10.0.0.11');
    expect(await scene.findLease('10.0.0.10')).toBeDefined();
  });

  it('does not happen if an agent has reported in the meantime that a client has the address', async () => {
    // Long enough for all earlier steps on any machine.
    const { transport } = scene.manager({ releaseGrace: 4000 });
    await scene.createConfig('web', [on(mac(1))]);
    await scene.untilAddresses('web', '10.0.0.10');
    await scene.deleteConfig('web');
    await untilReleased('10.0.0.10');
    transport.freeze();
    const { writes } = transport.traffic;
    await scene.reportLease('10.0.0.10', { state: 'Bound', expires: NEVER });
    await eventually(() => {
      expect(transport.traffic.writes).toBeGreaterThan(writes);
    });
    expect(await scene.findLease('10.0.0.10')).toBeDefined();
    transport.thaw();
    await scene.createConfig('a', [on(mac(2)), on(mac(3))]);
    await scene.untilAddresses('a', '10.0.0.11', '');
  });

  it('waits for the agents after an outage: they may still serve the lease and have unreported clients', async () => {
    const manager = scene.manager({ releaseGrace: 1, returnGrace: 600_000 });
    await scene.createConfig('web', [on(mac(1))]);
    await scene.untilAddresses('web', '10.0.0.10');
    await breakOff(manager);
    await scene.deleteConfig('web');
    await untilReleased('10.0.0.10');
    await scene.createConfig('a', [on(mac(2)), on(mac(3))]);
    await scene.untilAddresses('a', '10.0.0.11', '');
    expect(await scene.findLease('10.0.0.10')).toBeDefined();
    // An agent reports a client from the outage. The address belongs to that client, also if another manager runs.
    await scene.reportLease('10.0.0.10', { state: 'Bound', expires: NEVER });
    await manager.close();
    scene.manager();
    await scene.createConfig('b', [on(mac(4))]);
    await scene.untilReason('b', 'PoolExhausted');
    expect((await scene.findLease('10.0.0.10'))?.spec.macAddress).toBe(mac(1));
  });

  it('happens after an outage as soon as the agents have had their time to report', async () => {
    const manager = scene.manager();
    await scene.createConfig('web', [on(mac(1))]);
    await scene.untilAddresses('web', '10.0.0.10');
    await breakOff(manager);
    await scene.deleteConfig('web');
    await scene.untilFree('10.0.0.10');
  });

  it('is cancelled if the interface requests an address again', async () => {
    scene.manager();
    await bound(NEVER);
    await scene.patchConfig('web', { networkConfigs: [] });
    await untilReleased('10.0.0.10');
    expect((await scene.config('web')).status?.phase).toBe('Ready');
    await eventually(async () => {
      const { status } = await scene.config('web');
      expect(status?.networkConfigs).toEqual([
        {
          networkName: `${scene.namespace}/prod`,
          macAddress: mac(1),
          allocatedIPAddress: '10.0.0.10',
          state: 'Stale',
        },
      ]);
    });
    await untilState('Resting', 'Released');
    await scene.patchConfig('web', { networkConfigs: [on(mac(1))] });
    await scene.untilAddresses('web', '10.0.0.10');
    await scene.untilServed(`10.0.0.10 ${mac(1)}`);
    await untilState('Bound', 'Ready');
  });

  it('happens when an interface moves to another network with the same MAC address', async () => {
    await scene.createPool('other', { network: 'test', start: '10.0.0.40', end: '10.0.0.49' });
    scene.manager();
    await scene.createConfig('web', [on(mac(1))]);
    await scene.untilAddresses('web', '10.0.0.10');
    await scene.patchConfig('web', { networkConfigs: [on(mac(1), { networkName: 'test' })] });
    await scene.untilAddresses('web', '10.0.0.40');
    await scene.untilServed(`10.0.0.40 ${mac(1)}`);
    await scene.untilFree('10.0.0.10');
    await eventually(async () => {
      expect((await scene.config('web')).status?.networkConfigs).toHaveLength(1);
    });
  });

  it('follows a change of the MAC address: the new one gets another address', async () => {
    scene.manager();
    await bound(NEVER);
    await scene.patchConfig('web', { networkConfigs: [on(mac(2))] });
    await scene.untilAddresses('web', '10.0.0.11');
    await scene.untilServed(`10.0.0.11 ${mac(2)}`);
    expect(await scene.findLease('10.0.0.10')).toBeDefined();
  });

  it('leaves nothing behind if the second of two interfaces got no address', async () => {
    await scene.createPool('full', { network: 'test', start: '10.0.0.40', end: '10.0.0.40', router: '10.0.0.40' });
    scene.manager();
    await scene.createConfig('web', [on(mac(1)), on(mac(2), { networkName: 'test' })]);
    await scene.untilAddresses('web', '10.0.0.10', '');
    await scene.deleteConfig('web');
    await scene.untilFree('10.0.0.10');
    expect(await scene.leases()).toEqual([]);
  });

  it('follows a pause of the config, with a condition, and the address is leased again afterwards', async () => {
    scene.manager();
    await bound(NEVER);
    await scene.patchConfig('web', { paused: true });
    await untilReleased('10.0.0.10');
    const { status } = await scene.untilAddresses('web', '');
    expect(status?.phase).toBe('Paused');
    expect(status?.networkConfigs).toEqual([{ networkName: 'prod', macAddress: mac(1), state: 'Pending' }]);
    expect(condition(await scene.config('web'), 'Disabled')).toMatchObject({ status: 'True', reason: 'Paused' });
    await scene.patchConfig('web', { paused: false });
    await scene.untilAddresses('web', '10.0.0.10');
  });

  it('does not happen because of a paused pool, but does if the config is deleted', async () => {
    scene.manager();
    await scene.createConfig('web', [on(mac(1))]);
    await scene.untilAddresses('web', '10.0.0.10');
    await scene.patchPool({ paused: true });
    await scene.createConfig('next', [on(mac(2))]);
    await scene.untilReason('next', 'PoolPaused');
    await scene.untilServed(`10.0.0.10 ${mac(1)}`);
    await scene.deleteConfig('web');
    await scene.untilFree('10.0.0.10');
    await scene.patchPool({ paused: false });
    await scene.untilAddresses('next', '10.0.0.11');
  });

  it('gives a config another address if its previous one was leased in the meantime', async () => {
    scene.manager();
    await scene.createConfig('web', [on(mac(1))]);
    await scene.untilAddresses('web', '10.0.0.10');
    await scene.patchConfig('web', { paused: true });
    await scene.untilFree('10.0.0.10');
    await scene.createConfig('thief', [on(mac(2), { ipAddress: '10.0.0.10' })]);
    await scene.untilAddresses('thief', '10.0.0.10');
    await scene.patchConfig('web', { paused: false });
    await scene.untilAddresses('web', '10.0.0.11');
  });

  it('happens for an orphaned lease, whose config no longer exists', async () => {
    const web = { ...scene.ref('web'), uid: 'gone' };
    await scene.createLease({
      ipAddress: '10.0.0.10',
      macAddress: mac(1),
      vmNetworkConfigRef: web,
      vmRef: scene.ref('web'),
    });
    scene.manager();
    expect(await scene.untilEvent('LeaseOrphaned', 'pool.10.0.0.10')).toMatchObject({ type: 'Normal' });
    await scene.untilFree('10.0.0.10');
  });

  it('happens if the config was deleted while no manager was running', async () => {
    const manager = scene.manager();
    await scene.createConfig('web', [on(mac(1))]);
    await scene.untilAddresses('web', '10.0.0.10');
    await manager.close();
    await scene.client.delete(VIRTUAL_MACHINE_NETWORK_CONFIGS, scene.ref('web'));
    await scene.client.patch(VIRTUAL_MACHINE_NETWORK_CONFIGS, scene.ref('web'), 'merge', {
      metadata: { finalizers: null },
    });
    scene.manager();
    await scene.untilFree('10.0.0.10');
  });

  it('does not happen for a lease that a user created', async () => {
    await scene.createLease({ ipAddress: '10.0.0.10', macAddress: mac(1) });
    scene.manager();
    await scene.createConfig('web', [on(mac(2))]);
    await scene.untilAddresses('web', '10.0.0.11');
    await scene.untilServed(`10.0.0.10 ${mac(1)}`, `10.0.0.11 ${mac(2)}`);
    await scene.client.delete(IP_LEASES, scene.ref('pool.10.0.0.10'));
  });
});

describe('a retained lease', () => {
  let scene: Scene;

  beforeEach(async () => {
    scene = await Scene.in(c);
    await scene.createPool();
    scene.manager();
    await scene.createConfig('web', [on(mac(1), { retain: true })]);
    await scene.untilAddresses('web', '10.0.0.10');
    await scene.reportLease('10.0.0.10', { state: 'Bound', expires: NEVER });
    await scene.deleteConfig('web');
    await eventually(async () => {
      expect((await scene.findLease('10.0.0.10'))?.metadata.labels?.[LABELS.retained]).toBe('true');
    });
  });
  afterEach(() => scene.close());

  it('waits for the VM of the same name, and is leased unchanged if the MAC address is the same', async () => {
    const before = await scene.findLease('10.0.0.10');
    await scene.createConfig('other', [on(mac(2))]);
    await scene.untilAddresses('other', '10.0.0.11');
    await scene.createConfig('web', [on(mac(1))]);
    await scene.untilAddresses('web', '10.0.0.10');
    const after = await scene.findLease('10.0.0.10');
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect(after?.metadata.labels).not.toHaveProperty([LABELS.retained]);
    await scene.untilServed(`10.0.0.10 ${mac(1)}`, `10.0.0.11 ${mac(2)}`);
  });

  it('is not given to a config of another VM, and its MAC address stays reserved', async () => {
    await scene.createConfig('copy', [on(mac(1))]);
    expect((await scene.untilReason('copy', 'DuplicateMAC')).message).toContain('IPLease');
  });

  it('is given to its VM also through a config with another name', async () => {
    await scene.createConfig('by-hand', [on(mac(1))], { vmName: 'web' });
    await scene.untilAddresses('by-hand', '10.0.0.10');
    await scene.untilServed(`10.0.0.10 ${mac(1)}`);
    expect((await scene.findLease('10.0.0.10'))?.spec.vmNetworkConfigRef?.name).toBe('by-hand');
  });
});
