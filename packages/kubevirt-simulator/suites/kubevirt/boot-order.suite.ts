import { describe, expect, it } from 'vitest';
import type { VirtualMachineInstance } from '../../../../api/index.ts';
import { cluster } from '../../../../test/harness/index.ts';
import { isOff, VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
await world.standIns({ parts: ['kubevirt'], bootTime: 60, kubeVirt: { shutdownTime: 60 } });
const vms = new VirtualMachines(world, await world.namespace());

const DISK = '/spec/template/spec/domain/devices/disks/0/bootOrder';
const INTERFACE = '/spec/template/spec/domain/devices/interfaces/0/bootOrder';

/** Orders of disk and interface. */
function ordersOf({ spec: { domain } }: VirtualMachineInstance): (number | undefined)[] {
  return [domain.devices.disks?.[0]?.bootOrder, domain.devices.interfaces?.[0]?.bootOrder];
}

describe('a network boot, once', () => {
  it('is set on the running VM, taken up by a restart, and taken back while the guest runs', async () => {
    const name = 'once';
    const first = await vms.running(name, 'Manual', { disks: [{ bootOrder: 1 }] });
    const { resourceVersion } = (await vms.vm(name)).metadata;
    const set = [
      { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
      { op: 'add', path: INTERFACE, value: 1 },
      { op: 'replace', path: DISK, value: 2 },
    ];
    expect(await vms.patch(`virtualmachines/${name}`, 'json', set)).toBe('200');
    expect(await vms.patch(`virtualmachines/${name}`, 'json', set)).toMatch(/^422 Invalid: /);
    expect(ordersOf((await vms.vmi(name)) ?? first)).toEqual([1, undefined]);

    expect(await vms.put(`virtualmachines/${name}/restart`, { gracePeriodSeconds: 0 })).toBe('202');
    const second = await vms.untilRunning(name, first);
    expect(ordersOf(second)).toEqual([2, 1]);

    const restore = [
      { op: 'remove', path: INTERFACE },
      { op: 'replace', path: DISK, value: 1 },
    ];
    expect(await vms.patch(`virtualmachines/${name}`, 'json', restore)).toBe('200');
    // The guest may start anew as often as it likes: its instance is what it was made with.
    expect(await vms.put(`virtualmachineinstances/${name}/reset`)).toBe('200');
    expect(ordersOf(await vms.untilRunning(name))).toEqual([2, 1]);

    expect(await vms.put(`virtualmachines/${name}/restart`)).toBe('202');
    expect(ordersOf(await vms.untilRunning(name, second))).toEqual([1, undefined]);
  });
});

describe('a boot order', () => {
  it('that is set while the VM is off holds for each start from then on', async () => {
    await vms.stopped('lasting');
    expect(await vms.patch('virtualmachines/lasting', 'json', [{ op: 'add', path: INTERFACE, value: 1 }])).toBe('200');
    for (let round = 0; round < 2; round += 1) {
      expect(await vms.put('virtualmachines/lasting/start')).toBe('202');
      expect(ordersOf(await vms.untilRunning('lasting'))).toEqual([undefined, 1]);
      expect(await vms.put('virtualmachines/lasting/stop')).toBe('202');
      await vms.until('lasting', isOff);
    }
  });

  it('that another has changed meanwhile is not overwritten', async () => {
    await vms.stopped('guarded', 'Manual', { disks: [{ bootOrder: 1 }] });
    const guarded = [
      { op: 'test', path: DISK, value: 7 },
      { op: 'replace', path: DISK, value: 2 },
    ];
    expect(await vms.patch('virtualmachines/guarded', 'json', guarded)).toBe(
      '422 Invalid: the server rejected our request due to an error in our request',
    );
  });
});
