import { describe, expect, it } from 'vitest';
import type { InstanceSpec } from '../kubevirt/objects.ts';
import { withDefaultDevices } from './devices.ts';

const VOLUMES = [
  { name: 'root', containerDisk: { image: 'a.example/b' } },
  { name: 'cloudinit', cloudInitNoCloud: {} },
];

describe('the devices of an instance', () => {
  it('are a disk for each volume and an interface on the pod network, where its template names none', () => {
    const spec: InstanceSpec = { domain: {}, volumes: VOLUMES };
    expect(withDefaultDevices(spec, 'bridge')).toEqual({
      volumes: VOLUMES,
      networks: [{ name: 'default', pod: {} }],
      domain: {
        devices: {
          disks: [
            { name: 'root', disk: { bus: 'sata' } },
            { name: 'cloudinit', disk: { bus: 'sata' } },
          ],
          interfaces: [{ name: 'default', bridge: {} }],
        },
      },
    });
  });

  it('are those of its template, and disks for the other volumes behind them', () => {
    const disks = [
      { name: 'cd', cdrom: {} },
      { name: 'cloudinit', bootOrder: 1, disk: { bus: 'virtio' } },
    ];
    const interfaces = [{ name: 'lan', bridge: {} }];
    const networks = [{ name: 'lan', multus: { networkName: 'lan' } }];
    const spec: InstanceSpec = { domain: { devices: { disks, interfaces } }, networks, volumes: VOLUMES };
    expect(withDefaultDevices(spec, 'masquerade')).toEqual({
      ...spec,
      domain: {
        devices: {
          disks: [{ name: 'cd', cdrom: { bus: 'sata' } }, disks[1], { name: 'root', disk: { bus: 'sata' } }],
          interfaces,
        },
      },
    });
  });

  it('are no disks for file systems, and no interface where that is switched off', () => {
    const filesystems = [{ name: 'root' }, { name: 'cloudinit' }];
    const spec: InstanceSpec = {
      domain: { devices: { filesystems, autoattachPodInterface: false } },
      volumes: VOLUMES,
    };
    expect(withDefaultDevices(spec, 'bridge')).toEqual(spec);
  });
});
