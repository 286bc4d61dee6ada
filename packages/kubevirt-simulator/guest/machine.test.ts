import { describe, expect, it } from 'vitest';
import type { InstanceSpec } from '../kubevirt/objects.ts';
import { aVmi, DRIVE, medium, vmiWith } from '../testing/builders.ts';
import { machineOf, systemDriveOf, type Machine } from './machine.ts';

function machineWith(spec: Partial<InstanceSpec>): Machine {
  const vmi = aVmi('Running');
  return machineOf({ ...vmi, spec: { ...vmi.spec, ...spec } });
}

describe('the machine of an instance', () => {
  it('has the host name of its spec, else the name of the instance', () => {
    expect(machineWith({}).hostname).toBe('m');
    expect(machineWith({ hostname: 'db' }).hostname).toBe('db');
  });

  it('has the CPUs of all sockets, and memory', () => {
    const domain = { cpu: { cores: 2, sockets: 2, threads: 2 }, memory: { guest: '1.5Gi' } };
    expect(machineWith({ domain })).toMatchObject({ cpus: 8, memory: 1536 });
    expect(machineWith({ domain: { memory: { guest: 'much' } } })).toMatchObject({ cpus: 1, memory: 1024 });
  });

  it('has drive names by bus and kind', () => {
    const disks = [
      { name: 'a', disk: { bus: 'virtio' } },
      { name: 'b', disk: { bus: 'scsi' } },
      { name: 'c', cdrom: { bus: 'sata' } },
      { name: 'd', disk: { bus: 'virtio' } },
    ];
    expect(machineWith({ domain: { devices: { disks } } }).drives.map(({ device }) => device)).toEqual([
      'vda',
      'sda',
      'sr0',
      'vdb',
    ]);
  });

  it('has its system on the first bootable drive of the boot order', () => {
    const machine = machineWith({
      domain: {
        devices: {
          disks: [
            { name: 'data', disk: { bus: 'virtio' }, bootOrder: 1 },
            { name: 'root', disk: { bus: 'virtio' }, bootOrder: 2 },
          ],
        },
      },
      volumes: [
        { name: 'data', emptyDisk: { capacity: '1Gi' } },
        { name: 'root', ephemeral: { persistentVolumeClaim: { claimName: 'root' } } },
      ],
    });
    expect(systemDriveOf(machine)?.device).toBe('vdb');
  });

  it('boots from an inserted medium with a boot order', () => {
    const drive = { ...DRIVE, bootOrder: 1 };
    const disks = [drive, { name: 'other', disk: { bus: 'virtio' }, bootOrder: 2 }];
    const systemIn = (volumeStatus: Parameters<typeof vmiWith>[1]) => {
      const machine = machineOf(vmiWith([medium('iso'), { name: 'other', containerDisk: {} }], volumeStatus, disks));
      return systemDriveOf(machine);
    };
    expect(systemIn([{ name: 'cd', target: 'sda', phase: 'Ready' }])).toMatchObject({ device: 'sr0', medium: 'iso' });
    expect(systemIn([{ name: 'cd', target: '', phase: 'MountedToPod' }])).toMatchObject({ device: 'vdb' });
    expect(systemIn([])).toMatchObject({ device: 'vdb' });
  });
});
