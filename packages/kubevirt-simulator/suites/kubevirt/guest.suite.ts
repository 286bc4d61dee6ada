import { describe, expect, it } from 'vitest';
import { EVENTS } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { isOff, VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
const { kubeVirt } = await world.standIns({ parts: ['kubevirt'], bootTime: 60, kubeVirt: { shutdownTime: 60 } });
const vms = new VirtualMachines(world, await world.namespace());

async function eventsOf(name: string): Promise<string[]> {
  const { items } = await world.client.list(EVENTS, {
    namespace: vms.namespace,
    fieldSelector: `involvedObject.name=${name}`,
  });
  return items.map(({ involvedObject, reason }) => `${involvedObject.kind ?? ''} ${reason ?? ''}`);
}

describe('a guest', () => {
  it('powers itself off or crashes while it runs, and at no other time', async () => {
    await vms.running('ends', 'Manual');
    expect(kubeVirt.powerOffGuest(vms.ref('ends'))).toBe(true);
    await vms.until('ends', ({ vmi }) => vmi?.status?.phase === 'Succeeded');
    expect(kubeVirt.powerOffGuest(vms.ref('ends'))).toBe(false);
    expect(kubeVirt.crashGuest(vms.ref('ends'))).toBe(false);
    expect(kubeVirt.crashGuest(vms.ref('nobody'))).toBe(false);
  });

  it('ends at once when it powers itself off while it is paused', async () => {
    await vms.running('frozen', 'Manual');
    expect(await vms.put('virtualmachineinstances/frozen/pause')).toBe('200');
    kubeVirt.crashGuest(vms.ref('frozen'));
    await vms.until('frozen', ({ vmi }) => vmi?.status?.phase === 'Failed');
  });

  it('is in the events of VM and instance', async () => {
    await vms.running('told', 'Manual');
    expect(await vms.put('virtualmachines/told/stop')).toBe('202');
    await vms.until('told', isOff);
    await eventually(async () => {
      expect(await eventsOf('told')).toEqual(
        expect.arrayContaining([
          'VirtualMachine SuccessfulCreate',
          'VirtualMachineInstance SuccessfulCreate',
          'VirtualMachineInstance Started',
          'VirtualMachine SuccessfulDelete',
          'VirtualMachineInstance Stopped',
        ]),
      );
    });
  });
});

describe('a guest’s own times', () => {
  it('are how long it takes to boot and to shut down', async () => {
    const times = { 'sandbox.kubevirt.io/boot-time': '1', 'sandbox.kubevirt.io/shutdown-time': '600000' };
    await vms.running('own', 'Manual', { metadata: { annotations: times } });
    expect(await vms.put('virtualmachines/own/stop')).toBe('202');
    const { vmi } = await vms.until('own', ({ vm }) => vm.status?.printableStatus === 'Stopping');
    expect(vmi?.status?.phase).toBe('Running');
    expect(await vms.put('virtualmachines/own/stop', { gracePeriod: 0 })).toBe('202');
    await vms.until('own', isOff);
  });

  it('that make no sense are those of all guests', async () => {
    await vms.running('odd', 'Manual', { metadata: { annotations: { 'sandbox.kubevirt.io/boot-time': 'soon' } } });
  });
});

describe('a guest with an agent', () => {
  it('tells its operating system, and what its interfaces are called', async () => {
    const agent = { metadata: { annotations: { 'sandbox.kubevirt.io/guest-agent': 'true' } } };
    const { status } = await vms.running('agent', 'Always', agent);
    expect(status).toMatchObject({
      guestOSInfo: { id: 'fedora', name: 'Fedora Linux' },
      interfaces: [{ name: 'default', interfaceName: 'eth0', infoSource: 'domain, guest-agent' }],
    });
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'AgentConnected', status: 'True' }));
    const { vm } = await vms.until('agent', ({ vm }) =>
      (vm.status?.conditions ?? []).some(({ type }) => type === 'AgentConnected'),
    );
    expect(vm.status?.ready).toBe(true);
  });
});
