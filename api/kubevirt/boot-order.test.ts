import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BootTarget } from './boot-devices.ts';
import {
  bootOrderPatch,
  bootOrdersOf,
  carriesOrder,
  type DeviceChoice,
  restorePatch,
  savedBootOf,
  type SavedBoot,
} from './boot-order.ts';
import type { FirmwareMode } from './firmware.ts';
import { aVm, aVmi, patched } from './testing/builders.ts';
import type { Disk, Domain, Interface, VirtualMachine } from './virtual-machine.ts';

function overridden(vm: VirtualMachine, target: BootTarget, firmware?: FirmwareMode) {
  return { saved: savedBootOf(vm, target, firmware), vm: patched(vm, bootOrderPatch(vm, target, firmware)) };
}

function withDevices(vm: VirtualMachine, devices: Domain['devices']): VirtualMachine {
  const { spec } = vm.spec.template;
  return { ...vm, spec: { ...vm.spec, template: { spec: { ...spec, domain: { ...spec.domain, devices } } } } };
}

function withOrders(vm: VirtualMachine, orders: Record<string, number>): VirtualMachine {
  const copy = structuredClone(vm);
  const { disks = [], interfaces = [] } = copy.spec.template.spec.domain.devices;
  for (const device of [...disks, ...interfaces]) {
    const order = orders[device.name];
    if (order !== undefined) device.bootOrder = order;
  }
  return copy;
}

const root: Disk = { name: 'root', disk: { bus: 'virtio' } };
const data: Disk = { name: 'data', disk: { bus: 'virtio' } };
const cd: Disk = { name: 'cd', cdrom: { bus: 'sata' } };
const net: Interface = { name: 'net', masquerade: {}, macAddress: '02:00:00:00:00:01' };

describe('bootOrdersOf', () => {
  it('lists every device with its class; 0 without an order', () => {
    const lun: Disk = { name: 'lun', lun: {} };
    const vm = aVm({ devices: { disks: [{ ...root, bootOrder: 1 }, cd, lun, { name: 'bare' }], interfaces: [net] } });
    expect(bootOrdersOf(vm)).toEqual({
      'disk:root': 1,
      'cdrom:cd': 0,
      'disk:lun': 0,
      'disk:bare': 0,
      'interface:net': 0,
    });
  });

  it('is empty for a VM without devices', () => {
    expect(bootOrdersOf(aVm({ devices: { autoattachPodInterface: false } }))).toEqual({});
  });
});

describe('bootOrderPatch', () => {
  it('puts the requested kind first and numbers all devices, since others are not tried', () => {
    const vm = aVm({ devices: { disks: [root, cd], interfaces: [net] } });
    expect(bootOrdersOf(overridden(vm, 'Pxe').vm)).toEqual({ 'interface:net': 1, 'disk:root': 2, 'cdrom:cd': 3 });
    expect(bootOrdersOf(overridden(vm, 'Hdd').vm)).toEqual({ 'disk:root': 1, 'cdrom:cd': 2, 'interface:net': 3 });
    expect(bootOrdersOf(overridden(vm, 'Cd').vm)).toEqual({ 'cdrom:cd': 1, 'disk:root': 2, 'interface:net': 3 });
  });

  it('keeps the relative order of the owner', () => {
    const disks = [
      { ...root, bootOrder: 3 },
      { ...data, bootOrder: 2 },
      { ...cd, bootOrder: 1 },
    ];
    const second: Interface = { name: 'net2', bridge: {}, bootOrder: 4 };
    const vm = aVm({ devices: { disks, interfaces: [net, second] } });
    expect(bootOrdersOf(overridden(vm, 'Pxe').vm)).toEqual({
      'interface:net2': 1,
      'interface:net': 2,
      'cdrom:cd': 3,
      'disk:data': 4,
      'disk:root': 5,
    });
  });

  it('leaves out an interface that is being removed', () => {
    const leaving: Interface = { name: 'old', bridge: {}, state: 'absent', bootOrder: 1 };
    const vm = aVm({ devices: { disks: [root], interfaces: [leaving, net] } });
    expect(bootOrdersOf(overridden(vm, 'Pxe').vm)).toEqual({ 'interface:old': 0, 'interface:net': 1, 'disk:root': 2 });
  });

  it('puts the chosen device first, counted among the bootable devices of the template', () => {
    const leaving: Interface = { name: 'old', bridge: {}, state: 'absent' };
    const second: Interface = { name: 'net2', bridge: {}, bootOrder: 1 };
    const third: Interface = { name: 'net3', bridge: {} };
    const vm = aVm({ devices: { disks: [root, cd, data], interfaces: [leaving, net, second, third] } });
    const first = (target: BootTarget, instance: number) => {
      const choice = { target, instance };
      const orders = bootOrdersOf(patched(vm, bootOrderPatch(vm, choice)));
      expect(savedBootOf(vm, choice).overrideOrders).toEqual(orders);
      return Object.entries(orders)
        .filter(([, order]) => order > 0)
        .toSorted(([, a], [, b]) => a - b)
        .map(([key]) => key);
    };
    const disks = ['disk:root', 'disk:data', 'cdrom:cd'];
    expect(first('Pxe', 3)).toEqual(['interface:net3', 'interface:net2', ...disks, 'interface:net']);
    expect(first('Pxe', 1)).toEqual(['interface:net', 'interface:net2', ...disks, 'interface:net3']);
    expect(first('Hdd', 2).slice(0, 3)).toEqual(['disk:data', 'interface:net2', 'disk:root']);
    expect(first('Cd', 1)[0]).toBe('cdrom:cd');
  });

  it('puts the USB disks first, which stay disks as well', () => {
    const stick: Disk = { name: 'stick', disk: { bus: 'usb' } };
    const vm = aVm({ devices: { disks: [root, cd, stick], interfaces: [net] } });
    const first = (choice: DeviceChoice) => {
      const orders = Object.entries(bootOrdersOf(patched(vm, bootOrderPatch(vm, choice))));
      return orders.toSorted(([, a], [, b]) => a - b).map(([key]) => key);
    };
    expect(first('Usb')).toEqual(['disk:stick', 'disk:root', 'cdrom:cd', 'interface:net']);
    expect(first('Hdd').slice(0, 2)).toEqual(['disk:root', 'disk:stick']);
    expect(first({ target: 'Hdd', instance: 2 })).toEqual(first({ target: 'Usb', instance: 1 }));
    expect(() => bootOrderPatch(vm, { target: 'Usb', instance: 2 })).toThrow(/has 1 USB disks/);
  });

  it('reports the number of devices if the chosen one does not exist', () => {
    const vm = aVm({ devices: { disks: [root], interfaces: [net] } });
    for (const instance of [2, 15]) {
      const message = new RegExp(`has 1 network interfaces to boot from and no number ${instance}`);
      expect(() => bootOrderPatch(vm, { target: 'Pxe', instance })).toThrow(message);
      expect(() => savedBootOf(vm, { target: 'Pxe', instance })).toThrow(
        expect.objectContaining({ code: 'NoBootDevice' }),
      );
    }
  });

  it('is empty if nothing changes', () => {
    const { vm } = overridden(aVm({ devices: { disks: [root], interfaces: [net] } }), 'Pxe');
    expect(bootOrderPatch(vm, 'Pxe')).toEqual([]);
  });

  it.each<[BootTarget, Domain['devices'], RegExp]>([
    ['Pxe', { disks: [root] }, /no network interface/],
    ['Hdd', { disks: [cd], interfaces: [net] }, /no disk/],
    ['Cd', { disks: [root], interfaces: [net] }, /no CD-ROM drive/],
    ['Usb', { disks: [root, cd], interfaces: [net] }, /no USB disk .*virtual media drive Usb/],
    ['Pxe', { interfaces: [{ ...net, state: 'absent' }] }, /no network interface/],
  ])('reports the missing device for %s', (target, devices, message) => {
    const vm = aVm({ devices });
    expect(() => bootOrderPatch(vm, target)).toThrow(message);
    expect(() => savedBootOf(vm, target)).toThrow(expect.objectContaining({ code: 'NoBootDevice' }));
  });

  it('is rejected if a device has changed since', () => {
    const vm = aVm({ devices: { disks: [root], interfaces: [net] } });
    const edited = withOrders(vm, { net: 1 });
    expect(() => patched(edited, bootOrderPatch(vm, 'Pxe'))).toThrow(/test/i);
  });

  it('is rejected if the VM has changed since', () => {
    const vm = aVm({ devices: { disks: [root], interfaces: [net] } });
    const touched = { ...vm, metadata: { ...vm.metadata, resourceVersion: '2' } };
    expect(() => patched(touched, bootOrderPatch(vm, 'Pxe'))).toThrow(/test/i);
  });

  describe('with a firmware', () => {
    const devices = { disks: [root], interfaces: [net] };

    it('writes the boot loader, with Secure Boot only if SMM is on', () => {
      const firmware = { uuid: 'u-1' };
      const plain = overridden(aVm({ devices, firmware }), 'Pxe', 'UEFI').vm.spec.template.spec.domain;
      expect(plain.firmware).toEqual({ uuid: 'u-1', bootloader: { efi: { secureBoot: false } } });
      const smm = overridden(aVm({ devices, firmware, features: { smm: {} } }), 'Pxe', 'UEFI');
      expect(smm.vm.spec.template.spec.domain.firmware?.bootloader).toEqual({ efi: { secureBoot: true } });
      const off = aVm({ devices, firmware, features: { smm: { enabled: false } } });
      expect(overridden(off, 'Pxe', 'UEFI').vm.spec.template.spec.domain.firmware?.bootloader).toEqual({
        efi: { secureBoot: false },
      });
    });

    it('keeps a boot loader of the requested firmware', () => {
      const firmware = { bootloader: { efi: { secureBoot: true, persistent: true } } };
      const { vm, saved } = overridden(aVm({ devices, firmware }), 'Pxe', 'UEFI');
      expect(vm.spec.template.spec.domain.firmware).toEqual(firmware);
      expect(saved.originalFirmware).toBeUndefined();
    });
  });
});

describe('restorePatch', () => {
  const devices = { disks: [{ ...root, bootOrder: 1 }, cd], interfaces: [net] };
  const before = aVm({ devices });

  it('is empty without an override and for one that was not written', () => {
    expect(restorePatch(before, undefined)).toEqual([]);
    expect(restorePatch(before, savedBootOf(before, 'Pxe'))).toEqual([]);
  });

  it('restores orders saved by KubeVirtBMC', () => {
    const { vm } = overridden(before, 'Pxe');
    const saved: SavedBoot = { bootOrders: bootOrdersOf(before) };
    expect(patched(vm, restorePatch(vm, saved))).toEqual(before);
  });

  it('restores firmware saved by KubeVirtBMC', () => {
    const efi = aVm({ devices, firmware: { uuid: 'u', bootloader: { efi: { secureBoot: false } } } });
    const ops = restorePatch(efi, { bootOrders: bootOrdersOf(efi), originalFirmware: 'Legacy' });
    expect(patched(efi, ops).spec.template.spec.domain.firmware).toEqual({ uuid: 'u', bootloader: { bios: {} } });
  });

  it('leaves out a removed device', () => {
    const { vm, saved } = overridden(before, 'Pxe');
    const without = withDevices(vm, { disks: vm.spec.template.spec.domain.devices.disks?.slice(0, 1) ?? [] });
    expect(bootOrdersOf(patched(without, restorePatch(without, saved)))).toEqual({
      'disk:root': 1,
      'interface:default': 0,
    });
  });

  it('keeps an added device with its order', () => {
    const { vm, saved } = overridden(before, 'Pxe');
    const { disks = [], interfaces = [] } = vm.spec.template.spec.domain.devices;
    const unnumbered = withDevices(vm, { disks: [...disks, data], interfaces });
    expect(bootOrdersOf(patched(unnumbered, restorePatch(unnumbered, saved)))).toMatchObject({ 'disk:data': 0 });
    const numbered = withDevices(vm, { disks: [...disks, { ...data, bootOrder: 4 }], interfaces });
    expect(bootOrdersOf(patched(numbered, restorePatch(numbered, saved)))).toEqual({
      'disk:root': 1,
      'cdrom:cd': 0,
      'disk:data': 4,
      'interface:net': 0,
    });
  });

  it('moves an added device to the next free order', () => {
    const four = aVm({ devices: { disks: [root, { ...cd, bootOrder: 5 }], interfaces: [net] } });
    const { vm, saved } = overridden(four, 'Pxe');
    const { disks = [], interfaces = [] } = vm.spec.template.spec.domain.devices;
    const added = withDevices(vm, { disks: [...disks, { ...data, bootOrder: 5 }], interfaces });
    expect(bootOrdersOf(patched(added, restorePatch(added, saved)))).toMatchObject({ 'cdrom:cd': 5, 'disk:data': 6 });
  });

  it('keeps an order that the owner has changed', () => {
    const { vm, saved } = overridden(before, 'Pxe');
    const edited = withOrders(vm, { net: 7 });
    expect(bootOrdersOf(patched(edited, restorePatch(edited, saved)))).toMatchObject({
      'disk:root': 1,
      'interface:net': 7,
    });
  });

  it('is empty if the owner has applied the original again', () => {
    const { saved } = overridden(before, 'Pxe');
    expect(restorePatch(before, saved)).toEqual([]);
  });

  it('restores a drive that became a disk', () => {
    const { vm, saved } = overridden(before, 'Cd');
    const { disks = [], interfaces = [] } = vm.spec.template.spec.domain.devices;
    const [first, drive] = disks;
    const changed = withDevices(vm, {
      disks: [...(first === undefined ? [] : [first]), { name: 'cd', disk: {}, bootOrder: drive?.bootOrder ?? 0 }],
      interfaces,
    });
    expect(bootOrdersOf(patched(changed, restorePatch(changed, saved)))).toEqual({
      'disk:root': 1,
      'disk:cd': 0,
      'interface:net': 0,
    });
  });
});

describe('carriesOrder', () => {
  const vm = aVm({ devices: { disks: [root], interfaces: [net] } });

  it('is false for a VMI from before a change of order or firmware', () => {
    expect(carriesOrder(aVmi('Running', vm), overridden(vm, 'Pxe').vm)).toBe(false);
    const { vm: uefi } = overridden(overridden(vm, 'Pxe').vm, 'Pxe', 'UEFI');
    expect(carriesOrder(aVmi('Running', overridden(vm, 'Pxe').vm), uefi)).toBe(false);
  });

  it('ignores hotplugged disks and a preference’s firmware', () => {
    const vmi = aVmi('Running', vm);
    vmi.spec.domain.devices.disks?.push(data);
    vmi.spec.domain.firmware = { bootloader: { efi: {} } };
    expect(carriesOrder(vmi, vm)).toBe(true);
  });
});

describe('any VM', () => {
  const order = fc.constantFrom(undefined, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
  const name = fc.stringMatching(/^[a-z]{1,6}$/);
  const withOrder = <T extends { bootOrder?: number }>(device: T, bootOrder: number | undefined): T =>
    bootOrder === undefined ? device : { ...device, bootOrder };
  const disk = fc
    .tuple(name, fc.constantFrom<Partial<Disk>>({ disk: {} }, { cdrom: {} }, { lun: {} }, {}), order)
    .map(([diskName, kind, bootOrder]) => withOrder<Disk>({ name: diskName, ...kind }, bootOrder));
  const nic = fc
    .tuple(name, fc.constantFrom<Interface['state']>(undefined, 'up', 'absent'), order)
    .map(([nicName, state, bootOrder]) =>
      withOrder<Interface>({ name: nicName, ...(state === undefined ? {} : { state }) }, bootOrder),
    );
  const bootloader = fc.constantFrom(
    undefined,
    { bios: {} },
    { bios: { useSerial: true } },
    { efi: {} },
    { efi: { secureBoot: false, persistent: true } },
  );
  const vms = fc
    .record({
      disks: fc.uniqueArray(disk, { maxLength: 6, selector: (device) => device.name }),
      interfaces: fc.uniqueArray(nic, { maxLength: 4, selector: (device) => device.name }),
      bootloader,
    })
    .map((made) => {
      const taken = new Set<number>();
      const devices = structuredClone({ disks: made.disks, interfaces: made.interfaces });
      for (const device of [...devices.disks, ...devices.interfaces]) {
        // KubeVirt refuses two devices of one order.
        if (device.bootOrder !== undefined && taken.has(device.bootOrder)) delete device.bootOrder;
        else if (device.bootOrder !== undefined) taken.add(device.bootOrder);
      }
      const firmware = { uuid: 'u', ...(made.bootloader === undefined ? {} : { bootloader: made.bootloader }) };
      return aVm({ devices, firmware });
    });
  const targets = fc.constantFrom<BootTarget>('Pxe', 'Hdd', 'Cd');
  const firmwares = fc.constantFrom<FirmwareMode | undefined>(undefined, 'UEFI', 'Legacy');

  const hasDevice = (vm: VirtualMachine, target: BootTarget) => {
    try {
      return bootOrderPatch(vm, target).length >= 0;
    } catch {
      return false;
    }
  };

  it('is unchanged after an override and its restoration', () => {
    fc.assert(
      fc.property(vms, targets, firmwares, (vm, target, firmware) => {
        fc.pre(hasDevice(vm, target));
        const change = overridden(vm, target, firmware);
        expect(patched(change.vm, restorePatch(change.vm, change.saved))).toEqual(vm);
        expect(carriesOrder(aVmi('Running', change.vm), change.vm)).toBe(true);
      }),
    );
  });

  it('gets valid orders: unique, at least 1, the requested kind first', () => {
    fc.assert(
      fc.property(vms, targets, (vm, target) => {
        fc.pre(hasDevice(vm, target));
        const orders = bootOrdersOf(overridden(vm, target).vm);
        const given = Object.values(orders).filter((number) => number > 0);
        expect(given.toSorted((a, b) => a - b)).toEqual(given.map((_, index) => index + 1));
        const prefix = { Pxe: 'interface:', Hdd: 'disk:', Cd: 'cdrom:', Usb: 'disk:', UefiHttp: 'interface:' }[target];
        expect(
          Object.entries(orders)
            .find(([, number]) => number === 1)?.[0]
            .startsWith(prefix),
        ).toBe(true);
      }),
    );
  });

  it('gets unique orders from a restoration, whatever the owner changed', () => {
    fc.assert(
      fc.property(vms, targets, vms, (vm, target, other) => {
        fc.pre(hasDevice(vm, target));
        const { saved } = overridden(vm, target);
        const restored = patched(other, restorePatch(other, saved));
        const given = Object.values(bootOrdersOf(restored)).filter((number) => number > 0);
        expect(new Set(given).size).toBe(given.length);
        expect(restorePatch(restored, { bootOrders: bootOrdersOf(restored) })).toEqual([]);
      }),
    );
  });
});
