import { describe, expect, it } from 'vitest';
import { aBareGuest, aGuest, aVm } from '../../testing/builders.ts';
import { bootOptionsOf } from './boot-options.ts';

function aVmWith(devices: object): ReturnType<typeof aVm> {
  const guest = aGuest();
  return aVm({ guest: { ...guest, domain: { ...guest.domain, devices } } });
}

describe('the boot options of a VM', () => {
  it('are the disks and interfaces of its template, with their positions in the boot order', () => {
    const vm = aVmWith({
      disks: [
        { name: 'root', disk: { bus: 'virtio' } },
        { name: 'cd', cdrom: { bus: 'sata' } },
        { name: 'data', lun: { bus: 'scsi' } },
        { name: 'plain' },
      ],
      interfaces: [{ name: 'lan', macAddress: '02:00:00:00:00:01' }, { name: 'old', state: 'absent' }, { name: 'san' }],
    });
    // The owner's order may have gaps.
    expect(bootOptionsOf(vm, { 'interface:san': 2, 'disk:root': 5, 'cdrom:cd': 0 })).toEqual([
      { id: 'disk:root', device: 'Hdd', instance: 1, name: 'Disk root (virtio)', order: 2 },
      { id: 'cdrom:cd', device: 'Cd', instance: 1, name: 'CD-ROM drive cd (sata)' },
      { id: 'disk:data', device: 'Hdd', instance: 2, name: 'Disk data (scsi)' },
      { id: 'disk:plain', device: 'Hdd', instance: 3, name: 'Disk plain' },
      { id: 'interface:lan', device: 'Pxe', instance: 1, name: 'Network interface lan (02:00:00:00:00:01)' },
      { id: 'interface:san', device: 'Pxe', instance: 2, name: 'Network interface san', order: 1 },
    ]);
  });

  it('include the devices that KubeVirt adds to a VM without devices', () => {
    const vm = aVm({ guest: aBareGuest() });
    expect(bootOptionsOf(vm, { 'disk:second': 1 })).toEqual([
      { id: 'disk:root', device: 'Hdd', instance: 1, name: 'Disk root' },
      { id: 'disk:second', device: 'Hdd', instance: 2, name: 'Disk second', order: 1 },
      { id: 'interface:default', device: 'Pxe', instance: 1, name: 'Network interface default' },
    ]);
  });
});
