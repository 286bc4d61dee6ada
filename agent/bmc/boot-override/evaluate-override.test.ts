import { describe, expect, it } from 'vitest';
import type { BootOverrideStatus, VirtualMachine, VirtualMachineInstanceSpec } from '../../../api/index.ts';
import type { BootOverride } from '../../../protocols/machine/index.ts';
import { aBmc, aGuest, aVm, aVmi } from '../testing/builders.ts';
import { evaluateOverride, type OverrideView } from './evaluate-override.ts';
import { saveOverride } from './saved-override.ts';

const once: BootOverride = { device: 'Pxe', persistence: 'Once' };
const before = aVmi({ uid: 'before' });
const saved = saveOverride(once, aVm(), before);
const now = Date.UTC(2026, 0, 1, 12, 0, 0);

/** The guest as the override writes it: the interface first, then disk and drive. */
function overridden(): VirtualMachineInstanceSpec {
  const guest = aGuest();
  guest.domain.devices.disks = guest.domain.devices.disks?.map((disk, index) => ({ ...disk, bootOrder: index + 2 }));
  guest.domain.devices.interfaces = guest.domain.devices.interfaces?.map((nic) => ({ ...nic, bootOrder: 1 }));
  return guest;
}

/** As the owner made it while the override was in it: the drive before the network. */
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

describe('a boot override that stands in the status', () => {
  it('is none where there is none', () => {
    expect(evaluate({ saved: undefined })).toBe('none');
  });

  it('is pending while the VMI of before runs, and while none does', () => {
    expect(evaluate({})).toBe('pending');
    expect(evaluate({ vmi: undefined })).toBe('pending');
  });

  it('is to be undone once another VMI was made with it', () => {
    expect(evaluate({ vmi: aVmi({ uid: 'after', phase: 'Pending', guest: overridden() }) })).toBe('restore');
  });

  it('is to be undone also where it has been, and only the status was not cleared', () => {
    expect(evaluate({ vm: aVm(), vmi: aVmi({ uid: 'after', guest: overridden() }) })).toBe('restore');
  });

  it('waits for the next VMI where one was made just before it was written', () => {
    expect(evaluate({ vmi: aVmi({ uid: 'after' }) })).toBe('pending');
  });

  it('is to be written where that was never done', () => {
    expect(evaluate({ vm: aVm() })).toBe('write');
  });

  it('is left to the owner who has changed the order meanwhile, and undone when a VMI was made so', () => {
    expect(evaluate({ vm: aVm({ guest: edited() }) })).toBe('pending');
    expect(evaluate({ vm: aVm({ guest: edited() }), vmi: aVmi({ uid: 'after', guest: edited() }) })).toBe('restore');
  });

  it('does not mind a device that has come or gone', () => {
    const guest = overridden();
    guest.domain.devices.disks = [{ name: 'data', disk: {} }];
    const vmi = aVmi({ uid: 'after', guest });
    expect(evaluate({ vm: aVm({ guest }) })).toBe('pending');
    expect(evaluate({ vm: aVm({ guest }), vmi })).toBe('restore');
  });

  describe('with an expiry', () => {
    const expiring = { ...saved, expires: '2026-01-01T12:00:00.000Z' };

    it('is pending until then, and has lapsed from then on', () => {
      expect(evaluate({ saved: expiring, now: now - 1 })).toBe('pending');
      expect(evaluate({ saved: expiring })).toBe('lapse');
      expect(evaluate({ saved: expiring, vmi: undefined })).toBe('lapse');
    });

    it('has lapsed also where it was never written, or is undone already and only the status was not cleared', () => {
      expect(evaluate({ saved: expiring, vm: aVm() })).toBe('lapse');
    });

    it('has not lapsed where a VMI was made with it', () => {
      const vmi = aVmi({ uid: 'after', guest: overridden() });
      expect(evaluate({ saved: expiring, vmi, now: now + 1 })).toBe('restore');
    });

    it('goes with the VM that it was for', () => {
      expect(evaluate({ saved: expiring, vm: aVm({ uid: 'vm-2' }) })).toBe('drop');
    });
  });

  it('stays when it is to stay', () => {
    const always = { ...saved, mode: 'Persistent' } as const;
    expect(evaluate({ saved: always, vmi: aVmi({ uid: 'after', guest: overridden() }) })).toBe('pending');
  });

  it('goes with the VM that it was for, or stays with the BMC', () => {
    const other: VirtualMachine = aVm({ uid: 'vm-2' });
    expect(evaluate({ vm: other })).toBe('drop');
    expect(evaluate({ vm: other, saved: { ...saved, mode: 'Persistent' } })).toBe('adopt');
  });

  it('waits while there is no VM', () => {
    expect(evaluate({ vm: undefined })).toBe('pending');
    expect(evaluate({ vm: aVm({ deleted: true }) })).toBe('pending');
  });

  it('is the manager’s from the deletion of the BMC on', () => {
    const bmc = aBmc({ status: { bootOverride: saved } });
    bmc.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    expect(evaluate({ bmc, vm: aVm() })).toBe('pending');
  });

  it('of KubeVirtBMC, which knows no target, is undone as ours is', () => {
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
