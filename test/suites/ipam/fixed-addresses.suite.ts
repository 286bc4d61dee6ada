import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cluster } from '../../harness/index.ts';
import { condition, mac, on, Scene } from './scene.ts';

const c = await cluster();

describe('a requested fixed address', () => {
  let scene: Scene;

  beforeEach(async () => {
    scene = await Scene.in(c);
  });
  afterEach(() => scene.close());

  it('is leased inside the range and, if it is not allocated dynamically, outside of it', async () => {
    await scene.createPool();
    scene.manager();
    await scene.createConfig('web', [on(mac(1), { ipAddress: '10.0.0.15' }), on(mac(2), { ipAddress: '10.0.0.200' })]);
    await scene.untilAddresses('web', '10.0.0.15', '10.0.0.200');
  });

  it.each([
    ['AddressOutOfNetwork', '10.0.1.5', '10.0.0.0/24'],
    ['AddressUnusable', '10.0.0.255', 'broadcast'],
    ['AddressUnusable', '10.0.0.2', 'DHCP server'],
    ['AddressUnusable', '10.0.0.1', 'router'],
    ['AddressExcluded', '10.0.0.12', 'excluded'],
    ['AddressReserved', '10.0.0.13', mac(9)],
    ['AddressReserved', '10.0.0.14', '/db'],
  ])('is refused as %s if it is %s', async (reason, ipAddress, part) => {
    await scene.createPool('pool', {
      exclude: ['10.0.0.12'],
      reservations: [
        { macAddress: mac(9), ipAddress: '10.0.0.13' },
        { vmName: 'db', ipAddress: '10.0.0.14' },
      ],
    });
    scene.manager();
    await scene.createConfig('web', [on(mac(1), { ipAddress })]);
    const { message } = await scene.untilReason('web', reason);
    expect(message).toContain(ipAddress);
    expect(message).toContain(part);
    expect((await scene.config('web')).status?.phase).toBe('Failed');
    expect(await scene.untilEvent(reason, 'web')).toMatchObject({ type: 'Warning', message });
    await scene.patchConfig('web', { networkConfigs: [on(mac(1))] });
    expect((await scene.untilAddresses('web', '10.0.0.10')).status?.phase).toBe('Ready');
  });

  it('waits while another client, named in the condition, has it, and is leased as soon as it is free', async () => {
    await scene.createPool();
    scene.manager();
    await scene.createConfig('first', [on(mac(1), { ipAddress: '10.0.0.15' })]);
    await scene.untilAddresses('first', '10.0.0.15');
    await scene.createConfig('second', [on(mac(2), { ipAddress: '10.0.0.15' })]);
    const { message } = await scene.untilReason('second', 'AddressInUse');
    expect(message).toContain(`VirtualMachine ${scene.namespace}/first (${mac(1)})`);
    await scene.deleteConfig('first');
    await scene.untilServed(`10.0.0.15 ${mac(2)}`);
    await scene.untilAddresses('second', '10.0.0.15');
  });

  it('leaves the interface its current address while it is unavailable', async () => {
    await scene.createPool();
    scene.manager();
    await scene.createConfig('first', [on(mac(1), { ipAddress: '10.0.0.15' })]);
    await scene.untilAddresses('first', '10.0.0.15');
    await scene.createConfig('web', [on(mac(2))]);
    await scene.untilAddresses('web', '10.0.0.10');
    await scene.patchConfig('web', { networkConfigs: [on(mac(2), { ipAddress: '10.0.0.15' })] });
    await scene.untilReason('web', 'AddressInUse');
    const config = await scene.untilAddresses('web', '10.0.0.10');
    expect(condition(config, 'InSynced')).toMatchObject({ status: 'False', reason: 'AddressPending' });
    expect(config.status?.phase).toBe('Degraded');
    await scene.deleteConfig('first');
    const healed = await scene.untilAddresses('web', '10.0.0.15');
    expect(condition(healed, 'InSynced')).toMatchObject({ status: 'True' });
  });

  it('can be swapped with that of another interface of the VM', async () => {
    await scene.createPool();
    scene.manager();
    const [first, second] = ['10.0.0.15', '10.0.0.16'] as const;
    await scene.createConfig('web', [on(mac(1), { ipAddress: first }), on(mac(2), { ipAddress: second })]);
    await scene.untilAddresses('web', first, second);
    await scene.patchConfig('web', {
      networkConfigs: [on(mac(1), { ipAddress: second }), on(mac(2), { ipAddress: first })],
    });
    await scene.untilAddresses('web', second, first);
    await scene.untilServed(`${first} ${mac(2)}`, `${second} ${mac(1)}`);
  });
});

describe('a reservation', () => {
  let scene: Scene;

  beforeEach(async () => {
    scene = await Scene.in(c);
    await scene.createPool('pool', {
      reservations: [
        { macAddress: mac(1).toUpperCase(), ipAddress: '10.0.0.10', hostname: 'printer' },
        { vmName: 'db', ipAddress: '10.0.0.50' },
      ],
    });
    scene.manager();
  });
  afterEach(() => scene.close());

  it('gives its address and host name to a MAC address', async () => {
    await scene.createConfig('web', [on(mac(1))]);
    await scene.untilAddresses('web', '10.0.0.10');
    expect((await scene.findLease('10.0.0.10'))?.spec.hostname).toBe('printer');
  });

  it('moves the current holder when it is created, and excludes other clients', async () => {
    await scene.createConfig('web', [on(mac(3))]);
    await scene.untilAddresses('web', '10.0.0.11');
    const reservations = [
      { macAddress: mac(3), ipAddress: '10.0.0.60' },
      { macAddress: mac(4), ipAddress: '10.0.0.12' },
    ];
    await scene.patchPool({ ipv4Config: { reservations } });
    await scene.untilAddresses('web', '10.0.0.60');
    await scene.createConfig('other', [on(mac(5))]);
    await scene.untilAddresses('other', '10.0.0.13');
  });
});
