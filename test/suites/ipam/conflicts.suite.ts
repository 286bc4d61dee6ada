import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IP_LEASES, LABELS } from '../../../api/index.ts';
import { cluster } from '../../harness/index.ts';
import { mac, on, Scene } from './scene.ts';

const c = await cluster();

describe('an address in conflict with another machine', () => {
  let scene: Scene;

  beforeEach(async () => {
    scene = await Scene.in(c);
    await scene.createPool('pool', {
      end: '10.0.0.12',
      reservations: [{ macAddress: mac(5), ipAddress: '10.0.0.60' }],
    });
    scene.manager();
  });
  afterEach(() => scene.close());

  it('is replaced: the VM gets another one, the address is not leased until its lease is deleted, and the config and the pool report it', async () => {
    await scene.createConfig('web', [on(mac(1))]);
    await scene.untilAddresses('web', '10.0.0.10');
    await scene.reportLease('10.0.0.10', { state: 'Declined', expires: '2026-01-01T00:00:00Z' });
    await scene.untilAddresses('web', '10.0.0.11');
    await scene.untilServed(`10.0.0.11 ${mac(1)}`);
    for (const about of ['web', 'pool'])
      expect(await scene.untilEvent('AddressConflict', about)).toMatchObject({ type: 'Warning' });
    // One address of the range remains.
    await scene.createConfig('next', [on(mac(2)), on(mac(3))]);
    await scene.untilAddresses('next', '10.0.0.12', '');
    expect((await scene.findLease('10.0.0.10'))?.metadata.labels).toHaveProperty([LABELS.released], 'true');
    // As documented: kubectl delete iplease pool.10.0.0.10
    await c.client.delete(IP_LEASES, scene.ref('pool.10.0.0.10'));
    await scene.untilAddresses('next', '10.0.0.12', '10.0.0.10');
  });

  it('is kept if its VM has given up three in a day, or its pool an eighth of its range', async () => {
    await scene.createPool('large', { network: 'test', start: '10.0.0.100', end: '10.0.0.199' });
    const each = { networkName: 'test', macAddress: mac(7) };
    await scene.createConfig('moved', [each]);
    for (const last of [100, 101, 102]) {
      await scene.untilAddresses('moved', `10.0.0.${last}`);
      await scene.reportLease(`10.0.0.${last}`, { state: 'Declined' }, 'large');
    }
    await scene.untilAddresses('moved', '10.0.0.103');
    await scene.reportLease('10.0.0.103', { state: 'Declined' }, 'large');
    expect((await scene.untilReason('moved', 'AddressConflict')).message).toContain('It is kept');
    await scene.untilAddresses('moved', '10.0.0.103');
    // A pool of three addresses sets one aside.
    await scene.createConfig('web', [on(mac(1))]);
    await scene.untilAddresses('web', '10.0.0.10');
    await scene.reportLease('10.0.0.10', { state: 'Declined' });
    await scene.untilAddresses('web', '10.0.0.11');
    await scene.reportLease('10.0.0.11', { state: 'Declined', expires: '2026-01-01T00:00:00Z' });
    expect((await scene.untilReason('web', 'AddressConflict')).message).toContain('It is kept');
    await scene.untilServed(`10.0.0.11 ${mac(1)}`, `10.0.0.103 ${mac(7)}`);
    // Deletions of VMs cannot set more aside either.
    await scene.deleteConfig('web');
    await scene.untilFree('10.0.0.11');
    expect(await scene.findLease('10.0.0.10')).toBeDefined();
  });

  it.each([
    ['requested explicitly', mac(1), '10.0.0.15'],
    ['reserved', mac(5), undefined],
  ])('is kept if it was %s, and reported', async (_, macAddress, ipAddress) => {
    const address = ipAddress ?? '10.0.0.60';
    await scene.createConfig('web', [on(macAddress, ipAddress === undefined ? {} : { ipAddress })]);
    await scene.untilAddresses('web', address);
    await scene.reportLease(address, { state: 'Declined' });
    const condition = await scene.untilReason('web', 'AddressConflict');
    expect(condition).toMatchObject({ status: 'True' });
    expect(condition.message).toContain('another machine');
    await scene.untilServed(`${address} ${macAddress}`);
    expect((await scene.config('web')).status?.phase).toBe('Degraded');
    // The other machine is switched off; the client gets its address.
    await scene.reportLease(address, { state: 'Bound' });
    await scene.untilReason('web', 'Allocated');
  });
});
