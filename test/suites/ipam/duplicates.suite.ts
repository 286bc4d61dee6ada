import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LABELS } from '../../../api/index.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { mac, on, Scene } from './scene.ts';

const c = await cluster();

describe('a duplicate MAC address on a network', () => {
  let scene: Scene;

  beforeEach(async () => {
    scene = await Scene.in(c);
    await scene.createPool();
  });
  afterEach(() => scene.close());

  it('is refused to the second config with a condition that names the first, until the first is deleted', async () => {
    scene.manager();
    await scene.createConfig('first', [on(mac(1))]);
    await scene.untilAddresses('first', '10.0.0.10');
    await scene.createConfig('second', [on(mac(1))]);
    const { message } = await scene.untilReason('second', 'DuplicateMAC');
    expect(message).toContain(`VirtualMachineNetworkConfig ${scene.namespace}/first of VirtualMachine first`);
    expect(message).toContain(mac(1));
    expect(await scene.untilEvent('DuplicateMAC', 'second')).toMatchObject({ type: 'Warning' });
    expect((await scene.config('second')).status).toMatchObject({ phase: 'Failed' });
    await scene.untilServed(`10.0.0.10 ${mac(1)}`);

    await scene.deleteConfig('first');
    const config = await scene.untilAddresses('second', '10.0.0.11');
    expect(config.status?.phase).toBe('Ready');
    await scene.untilServed(`10.0.0.11 ${mac(1)}`);
  });

  it('stays with the first when the second is deleted', async () => {
    scene.manager();
    await scene.createConfig('first', [on(mac(1))]);
    await scene.untilAddresses('first', '10.0.0.10');
    await scene.createConfig('second', [on(mac(1))]);
    await scene.untilReason('second', 'DuplicateMAC');
    await scene.deleteConfig('second');
    await scene.untilServed(`10.0.0.10 ${mac(1)}`);
  });

  it('stays with the current holder, also if an older config starts to use it', async () => {
    scene.manager();
    await scene.createConfig('older', [on(mac(2))]);
    await scene.untilAddresses('older', '10.0.0.10');
    await scene.createConfig('younger', [on(mac(1))]);
    await scene.untilAddresses('younger', '10.0.0.11');
    await scene.patchConfig('older', { networkConfigs: [on(mac(1))] });
    expect((await scene.untilReason('older', 'DuplicateMAC')).message).toContain('younger');
    await scene.untilServed(`10.0.0.11 ${mac(1)}`);
  });

  it('is refused to a second interface of the same VM', async () => {
    scene.manager();
    await scene.createConfig('web', [on(mac(1)), on(mac(1).toUpperCase())]);
    await scene.untilAddresses('web', '10.0.0.10', '');
    expect((await scene.untilReason('web', 'DuplicateMAC')).message).toContain('more than once');
  });

  it('is available to others while its config is paused', async () => {
    scene.manager();
    await scene.createConfig('first', [on(mac(1))]);
    await scene.untilAddresses('first', '10.0.0.10');
    await scene.createConfig('second', [on(mac(1))]);
    await scene.untilReason('second', 'DuplicateMAC');
    await scene.patchConfig('first', { paused: true });
    await scene.untilAddresses('second', '10.0.0.11');
    await scene.untilServed(`10.0.0.11 ${mac(1)}`);
  });

  it('keeps the older of two leases after a race of two managers', async () => {
    const config = await scene.createConfig('web', [on(mac(1))]);
    const { uid = '' } = config.metadata;
    const spec = {
      macAddress: mac(1),
      vmNetworkConfigRef: { ...scene.ref('web'), uid },
      vmRef: scene.ref('web'),
    };
    await scene.createLease({ ipAddress: '10.0.0.15', ...spec });
    await scene.createLease({ ipAddress: '10.0.0.14', ...spec });
    const [first] = (await scene.leases()).toSorted((a, b) => (before(a.metadata, b.metadata) ? -1 : 1));
    scene.manager();
    await scene.untilServed(`${first?.spec.ipAddress ?? ''} ${mac(1)}`);
    await scene.untilAddresses('web', first?.spec.ipAddress ?? '');
    await eventually(async () => {
      expect(await scene.leases()).toHaveLength(1);
    });
  });

  it('keeps a lease that a user created unchanged', async () => {
    await scene.createLease({ ipAddress: '10.0.0.30', macAddress: mac(1) });
    scene.manager();
    await scene.createConfig('web', [on(mac(1))]);
    await scene.untilAddresses('web', '10.0.0.30');
    await scene.deleteConfig('web');
    const lease = await scene.findLease('10.0.0.30');
    expect(lease?.metadata.labels).not.toHaveProperty([LABELS.released]);
    await scene.untilServed(`10.0.0.30 ${mac(1)}`);
  });
});

interface Age {
  creationTimestamp?: string;
  name: string;
}

function before({ creationTimestamp: a = '', name: first }: Age, { creationTimestamp: b = '', name: second }: Age) {
  return a === b ? first < second : a < b;
}
