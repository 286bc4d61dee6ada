import { describe, expect, it } from 'vitest';
import {
  BOOT_OVERRIDE_ANNOTATION,
  type BootOverrideStatus,
  noteOfOverride,
  type VirtualMachine,
  type VirtualMachineInstanceSpec,
} from '../../../../api/index.ts';
import type { BootOverride } from '../../../../protocols/machine/index.ts';
import { aBmc, aGuest, aVm, aVmi } from '../../testing/builders.ts';
import { evaluateOverride, overrideOf, type OverrideView, saveOverride } from './saved-override.ts';

const once: BootOverride = { device: 'Pxe', persistence: 'Once' };
const before = aVmi({ uid: 'before' });
const saved = saveOverride(once, aVm(), before);
const now = Date.UTC(2026, 0, 1, 12, 0, 0);

/** The guest with the override: the interface first, then disk and CD-ROM drive. */
function overridden(): VirtualMachineInstanceSpec {
  const guest = aGuest();
  guest.domain.devices.disks = guest.domain.devices.disks?.map((disk, index) => ({ ...disk, bootOrder: index + 2 }));
  guest.domain.devices.interfaces = guest.domain.devices.interfaces?.map((nic) => ({ ...nic, bootOrder: 1 }));
  return guest;
}

/** The guest after the owner changed it during the override: the CD-ROM drive before the network. */
function edited(): VirtualMachineInstanceSpec {
  const guest = overridden();
  guest.domain.devices.disks = guest.domain.devices.disks?.map((disk) =>
    disk.name === 'cd' ? { ...disk, bootOrder: 1 } : disk,
  );
  guest.domain.devices.interfaces = guest.domain.devices.interfaces?.map((nic) => ({ ...nic, bootOrder: 3 }));
  return guest;
}

function evaluate(view: Partial<OverrideView> & { saved?: BootOverrideStatus | undefined }): string {
  const bmc = aBmc({ status: { bootOverride: 'saved' in view ? view.saved : saved } });
  return evaluateOverride({ bmc, vm: aVm({ guest: overridden() }), vmi: before, now, ...view });
}

it('a boot from a USB disk is saved as one from a disk, for earlier versions', () => {
  const guest = aGuest();
  guest.domain.devices.disks?.push({ name: 'bmc-usb', disk: { bus: 'usb' } });
  for (const instance of [undefined, 1]) {
    const asked: BootOverride = { device: 'Usb', persistence: 'Once', ...(instance === undefined ? {} : { instance }) };
    const { usb, ...older } = saveOverride(asked, aVm({ guest }), undefined);
    expect(overrideOf({ ...older, usb: usb ?? -1 })).toEqual(asked);
    expect(overrideOf(older)).toEqual({ device: 'Hdd', persistence: 'Once', instance: 2 });
  }
});

describe('the verdict on a boot override in the status', () => {
  it('is "none" without an override', () => {
    expect(evaluate({ saved: undefined })).toBe('none');
  });

  it('is "pending" while the previous VMI runs, and while there is no VMI', () => {
    expect(evaluate({})).toBe('pending');
    expect(evaluate({ vmi: undefined })).toBe('pending');
  });

  it('is "restore" after another VMI was created with it', () => {
    expect(evaluate({ vmi: aVmi({ uid: 'after', phase: 'Pending', guest: overridden() }) })).toBe('restore');
  });

  it('is "restore" if it is already restored and only the status is not cleared', () => {
    expect(evaluate({ vm: aVm(), vmi: aVmi({ uid: 'after', guest: overridden() }) })).toBe('restore');
  });

  it('is the same if a newer agent saved more than this one knows', () => {
    const more = { ...saved, ofNewerAgent: { some: 'thing' } };
    const vm = aVm({ guest: overridden() });
    vm.metadata.annotations = { [BOOT_OVERRIDE_ANNOTATION]: JSON.stringify({ ...noteOfOverride(more), ...more }) };
    expect(evaluate({ saved: more })).toBe('pending');
    expect(evaluate({ saved: more, vm })).toBe('pending');
    expect(evaluate({ saved: more, vm, vmi: aVmi({ uid: 'after', guest: overridden() }) })).toBe('restore');
  });

  it('is "pending" if a VMI was created just before the override was written', () => {
    expect(evaluate({ vmi: aVmi({ uid: 'after' }) })).toBe('pending');
  });

  it('is "write" if others have removed it from the template', () => {
    expect(evaluate({ vm: aVm() })).toBe('write');
  });

  it('is "pending" if the owner has changed the order, and "restore" once a VMI was created with that order', () => {
    expect(evaluate({ vm: aVm({ guest: edited() }) })).toBe('pending');
    expect(evaluate({ vm: aVm({ guest: edited() }), vmi: aVmi({ uid: 'after', guest: edited() }) })).toBe('restore');
  });

  it('does not depend on added or removed devices', () => {
    const guest = overridden();
    guest.domain.devices.disks = [{ name: 'data', disk: {} }];
    const vmi = aVmi({ uid: 'after', guest });
    expect(evaluate({ vm: aVm({ guest }) })).toBe('pending');
    expect(evaluate({ vm: aVm({ guest }), vmi })).toBe('restore');
  });

  describe('the verdict on an override with an expiry', () => {
    const expiring = { ...saved, expires: '2026-01-01T12:00:00.000Z' };

    it('is "pending" before the expiry, and "lapse" from then on', () => {
      expect(evaluate({ saved: expiring, now: now - 1 })).toBe('pending');
      expect(evaluate({ saved: expiring })).toBe('lapse');
      expect(evaluate({ saved: expiring, vmi: undefined })).toBe('lapse');
    });

    it('is "lapse" also if it was never written, or is undone and only the status is not cleared', () => {
      expect(evaluate({ saved: expiring, vm: aVm() })).toBe('lapse');
    });

    it('is not "lapse" if a VMI was created with it', () => {
      const vmi = aVmi({ uid: 'after', guest: overridden() });
      expect(evaluate({ saved: expiring, vmi, now: now + 1 })).toBe('restore');
    });

    it('is "drop" if its VM is gone', () => {
      expect(evaluate({ saved: expiring, vm: aVm({ uid: 'vm-2' }) })).toBe('drop');
    });
  });

  it('is "pending" if it is persistent', () => {
    const always = { ...saved, mode: 'Persistent' } as const;
    expect(evaluate({ saved: always, vmi: aVmi({ uid: 'after', guest: overridden() }) })).toBe('pending');
  });

  it('is "drop" after its VM is gone, or "adopt" if it is persistent', () => {
    const other: VirtualMachine = aVm({ uid: 'vm-2' });
    expect(evaluate({ vm: other })).toBe('drop');
    expect(evaluate({ vm: other, saved: { ...saved, mode: 'Persistent' } })).toBe('adopt');
  });

  it('is "pending" while there is no VM', () => {
    expect(evaluate({ vm: undefined })).toBe('pending');
    expect(evaluate({ vm: aVm({ deleted: true }) })).toBe('pending');
  });

  it('is "pending" once the BMC is being deleted: the manager restores the VM', () => {
    const bmc = aBmc({ status: { bootOverride: saved } });
    bmc.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    expect(evaluate({ bmc, vm: aVm() })).toBe('pending');
  });

  describe('the verdict on an override in the annotation of the VM', () => {
    const noted = (guest = overridden(), uid = 'vm-2'): VirtualMachine => {
      const vm = aVm({ uid, guest });
      const annotations = { [BOOT_OVERRIDE_ANNOTATION]: JSON.stringify(noteOfOverride(saved)) };
      return { ...vm, metadata: { ...vm.metadata, annotations } };
    };

    it('is "pending" or "restore" without a status, and for a VM with a new UID', () => {
      expect(evaluate({ vm: noted(), saved: undefined })).toBe('pending');
      const vmi = aVmi({ uid: 'after', guest: overridden() });
      expect(evaluate({ vm: noted(), saved: undefined, vmi })).toBe('restore');
    });

    it('is "forget" if neither the template nor the status has it', () => {
      expect(evaluate({ vm: noted(aGuest()), saved: undefined })).toBe('forget');
      expect(evaluate({ vm: noted(aGuest()), saved: { ...saved, savedIn: 'VirtualMachine' } })).toBe('write');
    });

    it('is "forget" if only the status shows it', () => {
      expect(evaluate({ vm: aVm(), saved: { ...saved, savedIn: 'VirtualMachine' } })).toBe('forget');
    });
  });

  it('treats an override of KubeVirtBMC, which has no target, like its own', () => {
    const theirs: BootOverrideStatus = {
      mode: 'Oneshot',
      vmUID: 'vm-1',
      vmiUID: 'before',
      bootOrders: { 'disk:root': 1, 'cdrom:cd': 0, 'interface:default': 0 },
    };
    expect(evaluate({ saved: theirs })).toBe('pending');
    expect(evaluate({ saved: theirs, vmi: aVmi({ uid: 'after', guest: overridden() }) })).toBe('restore');
  });
});
