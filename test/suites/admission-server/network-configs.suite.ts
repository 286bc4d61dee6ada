import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { VIRTUAL_MACHINE_NETWORK_CONFIGS, type VirtualMachineNetworkConfig } from '../../../api/index.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { warningsOf } from '../../harness/scenes/webhook-scene.ts';
import { RunningAdmission } from './running-admission.ts';
import { refusalIn, Scene } from './scene.ts';

const c = await cluster();
const A = '02:00:00:00:00:0a';
const B = '02:00:00:00:00:0b';

describe('a VirtualMachineNetworkConfig', () => {
  let scene: Scene;
  let admission: RunningAdmission;

  beforeAll(async () => {
    const probe = await Scene.in(c);
    const twice = { networkName: 'lan', macAddress: A };
    admission = await RunningAdmission.start(c, {}, async () => {
      expect(await probe.config('probe', twice, twice)).toMatchObject({ status: 422 });
    });
  });
  afterAll(() => admission.close());
  beforeEach(async () => {
    scene = await Scene.in(c);
    await scene.pool('lan', { reservations: [{ vmName: 'db', ipAddress: '10.9.0.20' }] });
    await scene.lease('10.9.0.10', 'web');
    await eventually(() => {
      if (admission.caches.leases.get(scene.ref('lan.10.9.0.10')) === undefined)
        throw new Error('the lease is unknown');
      if (admission.caches.pools.get(scene.ref('lan')) === undefined) throw new Error('the pool is unknown');
    });
  });

  const lan = (macAddress: string, ipAddress?: string) => ({
    networkName: 'lan',
    macAddress,
    ...(ipAddress === undefined ? {} : { ipAddress }),
  });

  it('stores its MAC addresses in canonical form', async () => {
    const { status, body } = await scene.config('vm', lan('0200.0000.000A'));
    expect(status, JSON.stringify(body)).toBe(201);
    expect((body as VirtualMachineNetworkConfig).spec.networkConfigs).toEqual([lan(A)]);
  });

  it.each([
    [
      'an invalid MAC address',
      lan('02:00:00:00:00'),
      /networkConfigs\[0\]\.macAddress: .+: must be a MAC address, such as 52:54:00:12:34:56$/,
    ],
    ['an address of no pool', lan(A, '10.9.1.1'), /Invalid value: "10\.9\.1\.1": is in no IPPool of network/],
    ['an address reserved for another VM', lan(A, '10.9.0.20'), /is reserved in IPPool .+\/lan for VirtualMachine db$/],
    ['an address leased to another VM', lan(A, '10.9.0.10'), /is taken by VirtualMachine .+\/web, 02:00:00:00:00:99$/],
  ])('is refused with %s', async (_what, entry, message) => {
    const refusal = refusalIn(await scene.config('vm', entry));
    expect(refusal.status).toBe(422);
    expect(refusal.message).toMatch(message);
  });

  it('is accepted with a warning if another config has its MAC address', async () => {
    await scene.config('first', lan(A));
    await eventually(() => {
      if (admission.caches.configs.get(scene.ref('first')) === undefined) throw new Error('the first is unknown');
    });
    const answer = await scene.config('second', lan(A));
    expect(answer.status).toBe(201);
    expect(warningsOf(answer).join()).toContain(`VirtualMachineNetworkConfig ${scene.namespace}/first has ${A}`);
  });

  it('is accepted before the pool of its network exists', async () => {
    const answer = await scene.config('vm', { networkName: 'san', macAddress: A, ipAddress: '10.8.0.1' });
    expect(answer.status).toBe(201);
    expect(warningsOf(answer).join()).toContain(`network ${scene.namespace}/san has no IPPool yet`);
  });

  it('may keep old errors in an update of other fields', async () => {
    await scene.config('vm', lan(A, '10.9.0.30'));
    await scene.patchPool('lan', { pool: { exclude: ['10.9.0.30'] } });
    await eventually(() => {
      const pool = admission.caches.pools.get(scene.ref('lan'));
      if (pool?.spec.ipv4Config?.pool.exclude === undefined) throw new Error('the change is unknown');
    });
    const change = { spec: { networkConfigs: [lan(A, '10.9.0.30'), lan(B)] } };
    await c.client.patch(VIRTUAL_MACHINE_NETWORK_CONFIGS, scene.ref('vm'), 'merge', change);
    const wrong = { spec: { networkConfigs: [lan(A, '10.9.0.30'), lan(B, '10.9.0.30')] } };
    await expect(c.client.patch(VIRTUAL_MACHINE_NETWORK_CONFIGS, scene.ref('vm'), 'merge', wrong)).rejects.toThrow(
      /networkConfigs\[1\]\.ipAddress: Duplicate value: "10\.9\.0\.30": is that of networkConfigs\[0\]/,
    );
  });
});
