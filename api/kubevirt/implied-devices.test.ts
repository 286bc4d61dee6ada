import { describe, expect, it } from 'vitest';
import {
  bootOrderPatch,
  bootOrdersOf,
  carriesOrder,
  ordersFor,
  ordersPatch,
  ownOrdersOf,
  restorePatch,
  savedBootOf,
  type SavedBoot,
} from './boot-order.ts';
import { podBindingOf, withImpliedDevices, type PodBinding } from './implied-devices.ts';
import { aVm, aVmi, patched } from './testing/builders.ts';
import type { VirtualMachine, VirtualMachineInstanceSpec } from './virtual-machine.ts';

/** As `virtctl create vm` writes it. */
const BARE: VirtualMachineInstanceSpec = {
  domain: { devices: {} },
  volumes: [{ name: 'root' }, { name: 'cloudinit' }],
};

function vmOf(guest: VirtualMachineInstanceSpec): VirtualMachine {
  const vm = aVm();
  return {
    ...vm,
    metadata: { ...vm.metadata, resourceVersion: '1' },
    spec: { ...vm.spec, template: { spec: structuredClone(guest) } },
  };
}

function overridden(vm: VirtualMachine, target: 'Pxe' | 'Hdd', binding: PodBinding | undefined = 'masquerade') {
  const saved = savedBootOf(vm, target, undefined, binding);
  return { saved, vm: patched(vm, bootOrderPatch(vm, target, undefined, binding)) };
}

function restored({ vm, saved }: { vm: VirtualMachine; saved: SavedBoot }): VirtualMachineInstanceSpec {
  return patched(vm, restorePatch(vm, saved)).spec.template.spec;
}

describe('the devices that KubeVirt adds', () => {
  it('are a disk for each volume without one, and an interface on the pod network', () => {
    const root = { name: 'root', disk: { bus: 'virtio' } };
    const guest = { ...BARE, domain: { devices: { disks: [root] } } };
    expect(withImpliedDevices(guest, 'bridge')).toEqual({
      ...BARE,
      domain: { devices: { disks: [root, { name: 'cloudinit' }], interfaces: [{ name: 'default', bridge: {} }] } },
      networks: [{ name: 'default', pod: {} }],
    });
  });

  it('exclude disks of volumes that are file systems', () => {
    const guest = { ...BARE, domain: { devices: { filesystems: [{ name: 'cloudinit' }] } } };
    expect(withImpliedDevices(guest).domain.devices.disks).toEqual([{ name: 'root' }]);
  });

  it.each<[string, VirtualMachineInstanceSpec]>([
    ['an interface of its own', { ...BARE, domain: { devices: { interfaces: [{ name: 'lan', bridge: {} }] } } }],
    ['a network of its own', { ...BARE, networks: [{ name: 'lan', multus: { networkName: 'lan' } }] }],
    ['autoattachPodInterface: false', { ...BARE, domain: { devices: { autoattachPodInterface: false } } }],
  ])('exclude an interface for a template with %s', (_what, guest) => {
    const { devices } = withImpliedDevices(guest, 'bridge').domain;
    expect(devices.interfaces).toEqual(guest.domain.devices.interfaces);
  });

  it('have the binding of the VMI', () => {
    for (const binding of ['bridge', 'masquerade'] as const) {
      expect(podBindingOf(withImpliedDevices(BARE, binding))).toBe(binding);
    }
    expect(podBindingOf(BARE)).toBeUndefined();
    const multus = {
      ...withImpliedDevices(BARE, 'bridge'),
      networks: [{ name: 'default', multus: { networkName: 'x' } }],
    };
    expect(podBindingOf(multus)).toBeUndefined();
  });
});

describe('a template without disks and interfaces', () => {
  it('gets entries for the devices that KubeVirt adds, which are removed afterwards', () => {
    const vm = vmOf(BARE);
    expect(bootOrdersOf(vm)).toEqual({ 'disk:root': 0, 'disk:cloudinit': 0, 'interface:default': 0 });
    const pxe = overridden(vm, 'Pxe');
    expect(pxe.vm.spec.template.spec).toEqual({
      volumes: BARE.volumes,
      networks: [{ name: 'default', pod: {} }],
      domain: {
        devices: {
          disks: [
            { name: 'root', bootOrder: 2 },
            { name: 'cloudinit', bootOrder: 3 },
          ],
          interfaces: [{ name: 'default', masquerade: {}, bootOrder: 1 }],
        },
      },
    });
    expect(pxe.saved.addedDevices).toEqual(['disk:root', 'disk:cloudinit', 'interface:default']);
    expect(ownOrdersOf(pxe.vm, pxe.saved)).toEqual(bootOrdersOf(vm));
    expect(restored(pxe)).toEqual(BARE);
    // Done once more, as after a crash.
    expect(restorePatch(vm, pxe.saved)).toEqual([]);
  });

  it('keeps its own devices', () => {
    const guest = {
      ...BARE,
      domain: { devices: { disks: [{ name: 'cloudinit', bootOrder: 1, disk: { bus: 'virtio' } }] } },
    };
    const hdd = overridden(vmOf(guest), 'Hdd');
    expect(bootOrdersOf(hdd.vm)).toEqual({ 'disk:cloudinit': 1, 'disk:root': 2, 'interface:default': 3 });
    expect(hdd.saved.addedDevices).toEqual(['disk:root', 'interface:default']);
    expect(restored(hdd)).toEqual(guest);
  });

  it('is patched only in the version that was read, since JSON Patch cannot test for absence', () => {
    const vm = vmOf(BARE);
    const stale = patched(vm, [{ op: 'replace', path: '/metadata/resourceVersion', value: '2' }]);
    for (const patch of [bootOrderPatch(vm, 'Hdd'), ordersPatch(vm, ordersFor(vm, ['disk:root']))]) {
      expect(() => patched(stale, patch)).toThrow('TEST_OPERATION_FAILED');
    }
  });

  it('does not boot from an interface with unknown binding', () => {
    const vm = vmOf(BARE);
    const message = 'has no network interface (spec.template.spec.domain.devices.interfaces) to boot from: add one';
    expect(() => savedBootOf(vm, 'Pxe')).toThrow(message);
    expect(() => ordersPatch(vm, ordersFor(vm, ['interface:default']))).toThrow(message);
    const hdd = { saved: savedBootOf(vm, 'Hdd'), vm: patched(vm, bootOrderPatch(vm, 'Hdd')) };
    expect(hdd.vm.spec.template.spec.networks).toBeUndefined();
    expect(bootOrdersOf(hdd.vm)).toEqual({ 'disk:root': 1, 'disk:cloudinit': 2, 'interface:default': 0 });
    expect(restored(hdd)).toEqual(BARE);
  });

  it('accepts a boot order of a client, with all disks in KubeVirt’s sequence', () => {
    const vm = vmOf(BARE);
    const ordered = patched(vm, ordersPatch(vm, ordersFor(vm, ['disk:cloudinit'])));
    expect(ordered.spec.template.spec).toEqual({
      ...BARE,
      domain: { devices: { disks: [{ name: 'root' }, { name: 'cloudinit', bootOrder: 1 }] } },
    });
    expect(ordersPatch(vm, ordersFor(vm, []))).toEqual([]);
    const net = patched(vm, ordersPatch(vm, ordersFor(vm, ['interface:default']), 'bridge')).spec.template.spec;
    expect(net.domain.devices.interfaces).toEqual([{ name: 'default', bridge: {}, bootOrder: 1 }]);
    expect(net.domain.devices.disks).toBeUndefined();
  });

  it('keeps added devices that got an order of the VM’s own', () => {
    const pxe = overridden(vmOf(BARE), 'Pxe');
    const bootOrders = { 'disk:root': 1, 'disk:cloudinit': 0, 'interface:default': 0 };
    const back = restored({ ...pxe, saved: { ...pxe.saved, bootOrders } });
    expect(back).toEqual({
      ...BARE,
      domain: { devices: { disks: [{ name: 'root', bootOrder: 1 }, { name: 'cloudinit' }] } },
    });
  });

  it('keeps changes and additions of the owner', () => {
    const pxe = overridden(vmOf(BARE), 'Pxe');
    const edited = structuredClone(pxe.vm);
    const { devices } = edited.spec.template.spec.domain;
    devices.disks = [{ name: 'root', bootOrder: 2, serial: 'S1' }, ...(devices.disks?.slice(1) ?? [])];
    devices.interfaces?.push({ name: 'lan', bridge: {} });
    edited.spec.template.spec.networks?.push({ name: 'lan', multus: { networkName: 'lan' } });
    expect(restored({ ...pxe, vm: edited })).toEqual({
      ...BARE,
      networks: [
        { name: 'default', pod: {} },
        { name: 'lan', multus: { networkName: 'lan' } },
      ],
      domain: {
        devices: {
          disks: [{ name: 'root', serial: 'S1' }, { name: 'cloudinit' }],
          interfaces: [
            { name: 'default', masquerade: {} },
            { name: 'lan', bridge: {} },
          ],
        },
      },
    });
  });

  it('keeps a drive that was added for an image', () => {
    const pxe = overridden(vmOf(BARE), 'Pxe');
    const edited = structuredClone(pxe.vm);
    edited.spec.template.spec.domain.devices.disks?.push({ name: 'bmc-cd', cdrom: { bus: 'sata' } });
    expect(restored({ ...pxe, vm: edited }).domain.devices).toEqual({
      disks: [{ name: 'bmc-cd', cdrom: { bus: 'sata' } }],
    });
  });

  it('matches a VMI with the added devices', () => {
    const vm = vmOf(BARE);
    const vmi = aVmi();
    const made = { ...vmi, spec: withImpliedDevices(BARE, 'bridge') };
    expect(carriesOrder(made, vm)).toBe(true);
    expect(carriesOrder(made, overridden(vm, 'Pxe').vm)).toBe(false);
  });
});
