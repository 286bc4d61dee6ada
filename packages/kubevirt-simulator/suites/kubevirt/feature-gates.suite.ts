import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { featureGates } from '../../../../test/harness/scenes/feature-gates.ts';
import { isOff, VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
await world.standIns({ parts: ['kubevirt'], bootTime: 60, kubeVirt: { shutdownTime: 60 } });
const vms = new VirtualMachines(world, await world.namespace());

const setGates = featureGates(world, vms.namespace);

const emptyDrive = { disks: [{}, { name: 'cd', cdrom: { bus: 'sata' } }] };

describe('the KubeVirt object', () => {
  it('can be read by everybody', async () => {
    const nobody = await world.clientFor({ namespace: vms.namespace, name: 'nobody' });
    const kubeVirts = await nobody.request({ method: 'GET', path: '/apis/kubevirt.io/v1/kubevirts' });
    expect(kubeVirts).toMatchObject({
      items: [{ metadata: { namespace: 'kubevirt', name: 'kubevirt' }, status: { phase: 'Deployed' } }],
    });
  });
});

describe('an empty CD-ROM drive', () => {
  it('needs its feature gate', async () => {
    await setGates();
    expect(await vms.create('closed', { runStrategy: 'Halted' }, emptyDrive)).toContain('feature gate not enabled');
    await setGates('DeclarativeHotplugVolumes');
    expect(await vms.create('open', { runStrategy: 'Halted' }, emptyDrive)).toBe('201');
    await vms.until('open', isOff);
  });

  it('is the only disk that may be without a volume', async () => {
    const disks = [{}, { name: 'data', disk: { bus: 'virtio' } }];
    const answer = await vms.create('no-volume', { runStrategy: 'Halted' }, { disks });
    expect(answer).toContain("'data' not found.");
  });
});
