import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { withDefaultDevices, interfacesOf } from './defaults.ts';
import type { InstanceSpec } from './objects.ts';
import { aTemplate } from '../testing/builders.ts';

const VOLUMES = [
  { name: 'root', containerDisk: { image: 'a.example/b' } },
  { name: 'cloudinit', cloudInitNoCloud: {} },
];

describe('the devices of an instance', () => {
  it('are by default a disk for each volume and an interface on the pod network', () => {
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

  it('are those of its template and disks for the other volumes', () => {
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

  it('do not include disks for file systems, nor an interface with autoattachPodInterface false', () => {
    const filesystems = [{ name: 'root' }, { name: 'cloudinit' }];
    const spec: InstanceSpec = {
      domain: { devices: { filesystems, autoattachPodInterface: false } },
      volumes: VOLUMES,
    };
    expect(withDefaultDevices(spec, 'bridge')).toEqual(spec);
  });
});

describe('the interfaces of an instance', () => {
  it('have the MAC address of the template', () => {
    const { spec } = aTemplate({ interface: { macAddress: '02:00:00:00:00:0a' } });
    expect(interfacesOf(spec, randomBytes)[0]?.mac).toBe('02:00:00:00:00:0a');
  });

  it('have by default a random MAC address', () => {
    const { spec } = aTemplate();
    const [first] = interfacesOf(spec, randomBytes);
    const [second] = interfacesOf(spec, randomBytes);
    expect(first?.mac).toMatch(/^52:54:00(:[0-9a-f]{2}){3}$/);
    expect(second?.mac).not.toBe(first?.mac);
  });

  it('have an address only on the pod network', () => {
    const { spec } = aTemplate();
    expect(interfacesOf(spec, randomBytes)[0]?.ipAddress).toMatch(/^10\.88\./);
    const elsewhere = { ...spec, networks: [{ name: 'default', multus: { networkName: 'pxe' } }] };
    expect(interfacesOf(elsewhere, randomBytes)[0]?.ipAddress).toBeUndefined();
  });
});
