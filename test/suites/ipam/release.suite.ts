import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ANNOTATIONS, IP_LEASES, LABELS, VIRTUAL_MACHINE_NETWORK_CONFIGS } from '../../../api/index.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { condition, mac, on, Scene } from './scene.ts';
import type { TestManager } from './test-manager.ts';

const c = await cluster();

const NEVER = '2099-01-01T00:00:00Z';

describe('the end of a lease', () => {
  let scene: Scene;

  beforeEach(async () => {
    scene = await Scene.in(c);
    await scene.createPool('pool', { end: '10.0.0.11' });
  });
  afterEach(() => scene.close());

  /** A config whose interface has 10.0.0.10, and a client that holds it until then. */
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

  const breakOff = async ({ transport, caches }: TestManager): Promise<void> => {
    transport.cut();
    transport.restore();
    await eventually(() => {
      expect(caches.leasesAwayUntil()).toBeDefined();
    });
  };

  it('comes with that of its config; nobody has the address while the client may hold it', async () => {
    scene.manager();
    await bound(NEVER);
    await scene.deleteConfig('web');
    const lease = await untilReleased('10.0.0.10');
    expect(Date.parse(lease?.metadata.annotations?.[ANNOTATIONS.releasedAt] ?? '')).not.toBeNaN();
    expect(await scene.untilEvent('AddressReleased', 'web')).toMatchObject({ type: 'Normal' });
    await scene.createConfig('a', [on(mac(2))]);
    await scene.untilAddresses('a', '10.0.0.11');
    await scene.createConfig('b', [on(mac(3))]);
    await scene.untilReason('b', 'PoolExhausted');
    // It has run out: agents say so of leases that are served, a test of any.
    await scene.reportLease('10.0.0.10', { expires: '2026-01-01T00:00:00Z' });
    await scene.untilAddresses('b', '10.0.0.10');
  });

  it('frees at once what the client gave back, and what it never had, but for a grace', async () => {
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

  it('waits for the grace, so that no agent serves the address any more', async () => {
    scene.manager({ releaseGrace: 600_000 });
    await scene.createConfig('web', [on(mac(1))]);
    await scene.untilAddresses('web', '10.0.0.10');
    await scene.deleteConfig('web');
    await untilReleased('10.0.0.10');
    await scene.createConfig('a', [on(mac(2))]);
    await scene.untilAddresses('a', '10.0.0.11');
    expect(await scene.findLease('10.0.0.10')).toBeDefined();
  });

  it('does not come where an agent has told meanwhile, unheard, that a client has the address', async () => {
    // Long enough for all that happens before it is over, on any machine.
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

  it('waits after an outage for the agents, which may serve the lease still and have not told whom they served meanwhile', async () => {
    const manager = scene.manager({ releaseGrace: 1, returnGrace: 600_000 });
    await scene.createConfig('web', [on(mac(1))]);
    await scene.untilAddresses('web', '10.0.0.10');
    await breakOff(manager);
    await scene.deleteConfig('web');
    await untilReleased('10.0.0.10');
    await scene.createConfig('a', [on(mac(2)), on(mac(3))]);
    await scene.untilAddresses('a', '10.0.0.11', '');
    expect(await scene.findLease('10.0.0.10')).toBeDefined();
    // An agent tells of a client that it served in the outage: the address is that one's, whoever is the manager by then.
    await scene.reportLease('10.0.0.10', { state: 'Bound', expires: NEVER });
    await manager.close();
    scene.manager();
    await scene.createConfig('b', [on(mac(4))]);
    await scene.untilReason('b', 'PoolExhausted');
    expect((await scene.findLease('10.0.0.10'))?.spec.macAddress).toBe(mac(1));
  });

  it('comes as soon as the agents have had their time after an outage', async () => {
    const manager = scene.manager();
    await scene.createConfig('web', [on(mac(1))]);
    await scene.untilAddresses('web', '10.0.0.10');
    await breakOff(manager);
    await scene.deleteConfig('web');
    await scene.untilFree('10.0.0.10');
  });

  it('is taken back where the interface asks for an address again', async () => {
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
    await scene.patchConfig('web', { networkConfigs: [on(mac(1))] });
    await scene.untilAddresses('web', '10.0.0.10');
    await scene.untilServed(`10.0.0.10 ${mac(1)}`);
  });

  it('follows an interface to another network under the same MAC address, and lets the former address go', async () => {
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

  it('comes with a change of the MAC address: the next has another address', async () => {
    scene.manager();
    await bound(NEVER);
    await scene.patchConfig('web', { networkConfigs: [on(mac(2))] });
    await scene.untilAddresses('web', '10.0.0.11');
    await scene.untilServed(`10.0.0.11 ${mac(2)}`);
    expect(await scene.findLease('10.0.0.10')).toBeDefined();
  });

  it('leaves nothing behind where the second of two interfaces got nothing', async () => {
    await scene.createPool('full', { network: 'test', start: '10.0.0.40', end: '10.0.0.40', router: '10.0.0.40' });
    scene.manager();
    await scene.createConfig('web', [on(mac(1)), on(mac(2), { networkName: 'test' })]);
    await scene.untilAddresses('web', '10.0.0.10', '');
    await scene.deleteConfig('web');
    await scene.untilFree('10.0.0.10');
    expect(await scene.leases()).toEqual([]);
  });

  it('comes with the last interface', async () => {
    scene.manager();
    await scene.createConfig('web', [on(mac(1))]);
    await scene.untilAddresses('web', '10.0.0.10');
    await scene.patchConfig('web', { networkConfigs: [] });
    await scene.untilFree('10.0.0.10');
  });

  it('comes with a pause of the config, which says so, and has the address back afterwards', async () => {
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

  it('keeps what a paused pool gave, and lets it go all the same when its config is deleted', async () => {
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

  it('gives a config another address than the one that was taken meanwhile', async () => {
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

  it('comes to an orphan: one whose config is gone, and was forgotten', async () => {
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

  it('comes also where the config was deleted while nobody was at work', async () => {
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

  it('is not for us to bring on one that a person has made', async () => {
    await scene.createLease({ ipAddress: '10.0.0.10', macAddress: mac(1) });
    scene.manager();
    await scene.createConfig('web', [on(mac(2))]);
    await scene.untilAddresses('web', '10.0.0.11');
    await scene.untilServed(`10.0.0.10 ${mac(1)}`, `10.0.0.11 ${mac(2)}`);
    await scene.client.delete(IP_LEASES, scene.ref('pool.10.0.0.10'));
  });
});

describe('a lease that is to be retained', () => {
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

  it('waits for the VM of the same name, and is its own as it is where the MAC address is the same', async () => {
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

  it('gives its address to the VM of the same name under another MAC address', async () => {
    await scene.createConfig('web', [on(mac(7))]);
    await scene.untilAddresses('web', '10.0.0.10');
    await scene.untilServed(`10.0.0.10 ${mac(7)}`);
  });

  it('gives it to no config of another VM, and keeps the MAC address too', async () => {
    await scene.createConfig('copy', [on(mac(1))]);
    expect((await scene.untilReason('copy', 'DuplicateMAC')).message).toContain('IPLease');
  });

  it('is its VM’s also where a config of another name asks for it', async () => {
    await scene.createConfig('by-hand', [on(mac(1))], { vmName: 'web' });
    await scene.untilAddresses('by-hand', '10.0.0.10');
    await scene.untilServed(`10.0.0.10 ${mac(1)}`);
    expect((await scene.findLease('10.0.0.10'))?.spec.vmNetworkConfigRef?.name).toBe('by-hand');
  });
});
