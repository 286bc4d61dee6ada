import { describe, expect, it } from 'vitest';
import { aGuest, aVm, aVmi } from '../testing/builders.ts';
import { cpuCountOf, hardwareOf, memoryBytesOf } from './hardware-of.ts';

function guestWith(domain: object): ReturnType<typeof aGuest> {
  const guest = aGuest();
  return { ...guest, domain: { ...guest.domain, ...domain } };
}

describe('hardwareOf', () => {
  it('tells of a VM that is off what its template says', () => {
    const vm = aVm({
      guest: guestWith({
        cpu: { cores: 2, sockets: 2 },
        memory: { guest: '2Gi' },
        firmware: { serial: 'S-1', bootloader: { efi: {} } },
        chassis: { asset: 'rack 7' },
      }),
    });
    vm.metadata.creationTimestamp = '2026-01-02T03:04:05Z';
    expect(hardwareOf({ vm, vmi: undefined })).toEqual({
      manufacturer: 'KubeVirt',
      serial: 'S-1',
      assetTag: 'rack 7',
      createdAt: Date.UTC(2026, 0, 2, 3, 4, 5),
      cpuCount: 4,
      memoryBytes: 2 * 2 ** 30,
      firmware: 'UEFI',
      networkInterfaces: [{ name: 'default', ipAddresses: [] }],
    });
  });

  it('tells of one that runs what it runs with', () => {
    const vm = aVm({ guest: guestWith({ memory: { guest: '1Gi' } }) });
    const vmi = aVmi({ guest: guestWith({ memory: { guest: '2Gi' }, cpu: { cores: 1, model: 'host-model' } }) });
    vmi.metadata.annotations = { 'kubevirt.io/cluster-instancetype-name': 'u1.small' };
    vmi.status = {
      ...vmi.status,
      currentCPUTopology: { cores: 1, sockets: 3, threads: 1 },
      memory: { guestCurrent: '3Gi' },
      guestOSInfo: { name: 'Fedora Linux', versionId: '40' },
      interfaces: [{ name: 'default', mac: '02:00:00:00:00:01', ipAddress: '10.0.0.2' }],
    };
    expect(hardwareOf({ vm, vmi })).toEqual({
      manufacturer: 'KubeVirt',
      model: 'u1.small',
      cpuCount: 3,
      cpuModel: 'host-model',
      memoryBytes: 3 * 2 ** 30,
      firmware: 'Legacy',
      operatingSystem: { name: 'Fedora Linux', version: '40' },
      networkInterfaces: [{ name: 'default', macAddress: '02:00:00:00:00:01', ipAddresses: ['10.0.0.2'] }],
    });
  });

  it('does not guess what an instance type and a preference will say', () => {
    const vm = aVm();
    vm.spec.instancetype = { name: 'u1.medium' };
    vm.spec.preference = { name: 'windows' };
    expect(hardwareOf({ vm, vmi: undefined })).toEqual({
      manufacturer: 'KubeVirt',
      model: 'u1.medium',
      networkInterfaces: [{ name: 'default', ipAddresses: [] }],
    });
    expect([cpuCountOf({ vm, vmi: undefined }), memoryBytesOf({ vm, vmi: undefined })]).toEqual([undefined, undefined]);
  });

  it('takes what the pod requests for the memory where nothing else says', () => {
    const vm = aVm({ guest: guestWith({ resources: { requests: { memory: '512Mi' } } }) });
    expect(memoryBytesOf({ vm, vmi: undefined })).toBe(512 * 2 ** 20);
  });

  it('tells the maker of a machine that is gone', () => {
    expect(hardwareOf({ vm: undefined, vmi: undefined })).toEqual({ manufacturer: 'KubeVirt', networkInterfaces: [] });
  });
});
