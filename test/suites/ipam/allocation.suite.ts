import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IP_LEASES, NETWORK_CONFIG_FINALIZER, VIRTUAL_MACHINE_NETWORK_CONFIGS } from '../../../api/index.ts';
import { cluster } from '../../harness/index.ts';
import { condition, mac, on, Scene } from './scene.ts';

const c = await cluster();

describe('allocation of an address for each interface', () => {
  let scene: Scene;

  beforeEach(async () => {
    scene = await Scene.in(c);
  });
  afterEach(() => scene.close());

  it('leases the first free address and reports it', async () => {
    const pool = await scene.createPool();
    scene.manager();
    await scene.createConfig('web', [on(mac(1))]);
    const config = await scene.untilAddresses('web', '10.0.0.10');
    expect(config.metadata.finalizers).toEqual([NETWORK_CONFIG_FINALIZER]);
    expect(config.status).toMatchObject({
      phase: 'Ready',
      networkConfigs: [
        { networkName: 'prod', macAddress: mac(1), allocatedIPAddress: '10.0.0.10', state: 'Allocated' },
      ],
      conditions: [
        { type: 'Allocated', status: 'True', reason: 'Allocated' },
        { type: 'Disabled', status: 'False' },
        { type: 'InSynced', status: 'True' },
      ],
    });
    const lease = await scene.findLease('10.0.0.10');
    expect(lease).toMatchObject({
      metadata: {
        labels: {
          'network.harvesterhci.io/ippool': 'pool',
          'network.harvesterhci.io/network': `${scene.namespace}.prod`,
        },
        ownerReferences: [{ kind: 'IPPool', name: 'pool', uid: pool.metadata.uid }],
      },
      spec: {
        ipAddress: '10.0.0.10',
        macAddress: mac(1),
        vmNetworkConfigRef: { namespace: scene.namespace, name: 'web', uid: config.metadata.uid },
        vmRef: { namespace: scene.namespace, name: 'web' },
        hostname: 'web',
      },
    });
  });

  it('leases the address that vm-dhcp-controller gave the VM', async () => {
    await scene.createPool();
    await scene.createConfig('web', [on(mac(1))]);
    const given = { networkName: 'prod', macAddress: mac(1), allocatedIPAddress: '10.0.0.15', state: 'Allocated' };
    const status = { networkConfigs: [given] };
    const config = scene.ref('web');
    await c.client.patch(VIRTUAL_MACHINE_NETWORK_CONFIGS, config, 'merge', { status }, { subresource: 'status' });
    scene.manager();
    await scene.untilServed(`10.0.0.15 ${mac(1)}`);
    await scene.untilAddresses('web', '10.0.0.15');
  });

  it('keeps the order of the spec across networks, and permits one MAC address on two networks', async () => {
    await scene.createPool('a');
    await scene.createPool('b', { network: 'test' });
    scene.manager();
    await scene.createConfig('web', [on(mac(1), { networkName: 'test' }), on(mac(2)), on(mac(1))]);
    await scene.untilAddresses('web', '10.0.0.10', '10.0.0.10', '10.0.0.11');
  });

  it('treats all spellings of a MAC address as equal', async () => {
    await scene.createPool();
    scene.manager();
    await scene.createConfig('web', [on('52-54-00-AB-CD-EF')]);
    await scene.untilServed('10.0.0.10 52:54:00:ab:cd:ef');
    await scene.patchConfig('web', { networkConfigs: [on('52:54:00:AB:CD:EF')] });
    await scene.untilAddresses('web', '10.0.0.10');
    await scene.untilServed('10.0.0.10 52:54:00:ab:cd:ef');
  });

  it('makes at most four writes besides the one that decides', async () => {
    await scene.createPool();
    const manager = scene.manager();
    await scene.createConfig('web', [on(mac(1))]);
    await scene.untilAddresses('web', '10.0.0.10');
    expect(manager.transport.traffic.writes).toBeLessThanOrEqual(4);
  });

  it('waits for a missing pool and uses it when it is created', async () => {
    scene.manager();
    await scene.createConfig('web', [on(mac(1))]);
    const missing = await scene.untilReason('web', 'NoPool');
    expect(missing.message).toContain(`${scene.namespace}/prod`);
    expect(await scene.untilEvent('NoPool', 'web')).toMatchObject({ type: 'Warning' });
    await scene.createPool();
    expect((await scene.untilAddresses('web', '10.0.0.10')).status?.phase).toBe('Ready');
  });

  it('serves interfaces on the pool’s network if other networks have no pool', async () => {
    await scene.createPool();
    scene.manager();
    await scene.createConfig('web', [on(mac(1), { networkName: 'unmanaged' }), on(mac(2))]);
    const config = await scene.untilAddresses('web', '', '10.0.0.10');
    expect(condition(config, 'Allocated')).toMatchObject({ status: 'False', reason: 'NoPool' });
    expect(config.status?.phase).toBe('Pending');
  });

  it('uses a second pool when the first is full, the older one first', async () => {
    await scene.untilOlder(await scene.createPool('first', { end: '10.0.0.10' }));
    await scene.createPool('second', { start: '10.0.0.20', end: '10.0.0.29', serverIP: '10.0.0.3' });
    scene.manager();
    await scene.createConfig('a', [on(mac(1))]);
    await scene.untilAddresses('a', '10.0.0.10');
    await scene.createConfig('b', [on(mac(2))]);
    await scene.untilAddresses('b', '10.0.0.20');
  });

  it('names the pool that an overlapping pool conflicts with', async () => {
    await scene.untilOlder(await scene.createPool('older', { end: '10.0.0.10' }));
    await scene.createPool('younger', { end: '10.0.0.29' });
    scene.manager();
    await scene.createConfig('a', [on(mac(1))]);
    await scene.untilAddresses('a', '10.0.0.10');
    await scene.createConfig('b', [on(mac(2))]);
    expect((await scene.untilReason('b', 'PoolExhausted')).message).toContain('older');
    await scene.createConfig('c', [on(mac(3), { ipAddress: '10.0.0.25' })]);
    const { message } = await scene.untilReason('c', 'PoolCollides');
    expect(message).toContain(`IPPool ${scene.namespace}/younger gives no addresses`);
    expect(message).toContain(`overlaps IPPool ${scene.namespace}/older`);
  });

  it('leases no server, router, excluded or reserved address', async () => {
    await scene.createPool('pool', {
      serverIP: '10.0.0.10',
      router: '10.0.0.11',
      exclude: ['10.0.0.12', '10.0.0.13-10.0.0.14', '10.0.0.16/31'],
      end: '10.0.0.19',
      reservations: [{ macAddress: mac(99), ipAddress: '10.0.0.15' }],
    });
    scene.manager();
    await scene.createConfig('web', [on(mac(1)), on(mac(2)), on(mac(3))]);
    await scene.untilAddresses('web', '10.0.0.18', '10.0.0.19', '');
  });

  it('gives an interface the address in its status again, for example after a migration from another DHCP controller', async () => {
    await scene.createPool();
    const manager = scene.manager();
    await scene.createConfig('a', [on(mac(1))]);
    await scene.untilAddresses('a', '10.0.0.10');
    await scene.createConfig('b', [on(mac(2))]);
    await scene.untilAddresses('b', '10.0.0.11');
    await manager.close();
    for (const address of ['10.0.0.10', '10.0.0.11'])
      await scene.client.delete(IP_LEASES, scene.ref(`pool.${address}`));
    scene.manager();
    await scene.untilServed(`10.0.0.10 ${mac(1)}`, `10.0.0.11 ${mac(2)}`);
  });
});
