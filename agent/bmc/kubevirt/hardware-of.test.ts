import { describe, expect, it } from 'vitest';
import { aBareGuest, aGuest, aVm, aVmi } from '../testing/builders.ts';
import { cpuCountOf, hardwareOf, memoryBytesOf } from './hardware-of.ts';

function guestWith(domain: object): ReturnType<typeof aGuest> {
  const guest = aGuest();
  return { ...guest, domain: { ...guest.domain, ...domain } };
}

const DISKS = [
  { name: 'root', kind: 'Disk', bus: 'virtio', isReadOnly: false },
  { name: 'cd', kind: 'Cdrom', bus: 'sata', isReadOnly: true },
];

describe('hardwareOf', () => {
  it('reads a VM that is off from its template', () => {
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
      topology: { sockets: 2, cores: 2, threads: 1 },
      firmware: 'UEFI',
      secureBoot: true,
      networkInterfaces: [{ name: 'default', ipAddresses: [], model: 'virtio' }],
      disks: DISKS,
    });
  });

  it('reads a running VM from its VMI', () => {
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
      topology: { sockets: 3, cores: 1, threads: 1 },
      cpuModel: 'host-model',
      memoryBytes: 3 * 2 ** 30,
      firmware: 'Legacy',
      operatingSystem: { name: 'Fedora Linux', version: '40' },
      networkInterfaces: [
        { name: 'default', macAddress: '02:00:00:00:00:01', ipAddresses: ['10.0.0.2'], model: 'virtio' },
      ],
      disks: DISKS,
    });
  });

  it('has the SMBIOS that KubeVirt gives all VMs; the instance type is the better model', () => {
    const smbios = { manufacturer: 'Example', product: 'Cloud', sku: 'C-1' };
    expect(hardwareOf({ vm: aVm(), vmi: undefined, smbios })).toMatchObject({
      ...{ manufacturer: 'Example', model: 'Cloud', sku: 'C-1' },
    });
    expect(hardwareOf({ vm: aVm(), vmi: undefined, smbios: { product: 'None' } })).not.toHaveProperty('model');
    const vm = aVm();
    vm.spec.instancetype = { name: 'u1.medium' };
    expect(hardwareOf({ vm, vmi: undefined, smbios })).toMatchObject({ model: 'u1.medium' });
  });

  it.each([
    ['registry.example:5000/kubevirt/virt-launcher:v1.8.4', 'virt-launcher:v1.8.4'],
    ['virt-launcher@sha256:0a1b', 'virt-launcher@sha256:0a1b'],
  ])('takes the firmware version from the image %s', (launcherContainerImageVersion, version) => {
    const vmi = { ...aVmi(), status: { launcherContainerImageVersion } };
    expect(hardwareOf({ vm: aVm(), vmi }).firmwareVersion).toBe(version);
  });

  it.each([
    [{ tpm: {} }, { hasTpm: true }],
    [{ tpm: { enabled: false } }, { hasTpm: false }],
    [{ watchdog: { i6300esb: {} } }, { watchdog: 'Reset' }],
    [{ watchdog: { i6300esb: { action: 'shutdown' } } }, { watchdog: 'PowerDown' }],
    [{ watchdog: { diag288: { action: 'poweroff' } } }, { watchdog: 'PowerDown' }],
  ] as const)('reads the devices %j as %j', (devices, hardware) => {
    expect(hardwareOf({ vm: aVm({ guest: guestWith({ devices }) }), vmi: undefined })).toMatchObject(hardware);
  });

  it('keeps the sizes of disks while the machine is off', () => {
    const vmi = aVmi();
    vmi.status = { volumeStatus: [{ name: 'root', size: 4096 }] };
    expect(hardwareOf({ vm: aVm(), vmi: undefined, lastVmi: vmi }).disks[0]).toMatchObject({ capacityBytes: 4096 });
  });

  it('includes devices that KubeVirt adds to a VM that is off', () => {
    const vm = aVm({ guest: aBareGuest() });
    expect(hardwareOf({ vm, vmi: undefined })).toMatchObject({
      networkInterfaces: [{ name: 'default', ipAddresses: [] }],
      disks: [
        { name: 'root', kind: 'Disk', isReadOnly: false },
        { name: 'second', kind: 'Disk', isReadOnly: false },
      ],
    });
  });

  it('leaves out what an instance type or a preference will define', () => {
    const vm = aVm();
    vm.spec.instancetype = { name: 'u1.medium' };
    vm.spec.preference = { name: 'windows' };
    expect(hardwareOf({ vm, vmi: undefined })).toEqual({
      manufacturer: 'KubeVirt',
      model: 'u1.medium',
      networkInterfaces: [{ name: 'default', ipAddresses: [] }],
      disks: DISKS,
    });
    expect([cpuCountOf({ vm, vmi: undefined }), memoryBytesOf({ vm, vmi: undefined })]).toEqual([undefined, undefined]);
  });

  it('returns the disks, with their capacity if KubeVirt knows it', () => {
    const devices = {
      disks: [
        { name: 'root', serial: 'D-1', disk: { bus: 'virtio' } },
        { name: 'image', disk: { bus: 'sata', readonly: true } },
        { name: 'shared', lun: { bus: 'scsi' } },
        { name: 'cd', cdrom: {} },
        { name: 'plain' },
      ],
    };
    const vmi = aVmi({ guest: guestWith({ devices }) });
    vmi.status = {
      volumeStatus: [
        { name: 'root', persistentVolumeClaimInfo: { capacity: { storage: '10Gi' } } },
        { name: 'image', size: 4096 },
        { name: 'shared', persistentVolumeClaimInfo: {} },
      ],
    };
    expect(hardwareOf({ vm: aVm(), vmi }).disks).toEqual([
      { name: 'root', kind: 'Disk', bus: 'virtio', capacityBytes: 10 * 2 ** 30, serial: 'D-1', isReadOnly: false },
      { name: 'image', kind: 'Disk', bus: 'sata', capacityBytes: 4096, isReadOnly: true },
      { name: 'shared', kind: 'Lun', bus: 'scsi', isReadOnly: false },
      { name: 'cd', kind: 'Cdrom', isReadOnly: true },
      { name: 'plain', kind: 'Disk', isReadOnly: false },
    ]);
  });

  it('returns the requested capacity of the disks of a VM that is off', () => {
    const disks = ['root', 'data', 'scratch', 'shared', 'image'].map((name) => ({ name, disk: {} }));
    const requests = (storage: string) => ({ resources: { requests: { storage } } });
    const vm = aVm({
      guest: {
        ...guestWith({ devices: { disks } }),
        volumes: [
          { name: 'root', dataVolume: { name: 'vm-root' } },
          { name: 'data', persistentVolumeClaim: { claimName: 'vm-data' } },
          { name: 'scratch', emptyDisk: { capacity: '2Gi' } },
          { name: 'shared', persistentVolumeClaim: { claimName: 'others' } },
        ],
      },
    });
    vm.spec.dataVolumeTemplates = [
      { metadata: { name: 'vm-root' }, spec: { storage: requests('10Gi') } },
      { metadata: { name: 'vm-data' }, spec: { pvc: requests('20G') } },
    ];
    const sizes = (vmi?: ReturnType<typeof aVmi>) => hardwareOf({ vm, vmi }).disks.map((disk) => disk.capacityBytes);
    expect(sizes()).toEqual([10 * 2 ** 30, 20e9, 2 * 2 ** 30, undefined, undefined]);
    // A running guest has the actual capacity, which may be larger.
    const vmi = aVmi({ guest: vm.spec.template.spec });
    vmi.status = { volumeStatus: [{ name: 'root', persistentVolumeClaimInfo: { capacity: { storage: '11Gi' } } }] };
    expect(sizes(vmi)).toEqual([11 * 2 ** 30, 20e9, 2 * 2 ** 30, undefined, undefined]);
  });

  it.each([
    ['up', true],
    ['down', false],
    [undefined, undefined],
  ])('returns the link state of an interface as %s', (linkState, isUp) => {
    const devices = { interfaces: [{ name: 'lan', model: 'e1000e', masquerade: {} }] };
    const vmi = aVmi({ guest: guestWith({ devices }) });
    vmi.status = { interfaces: [{ name: 'lan', ...(linkState !== undefined && { linkState }) }] };
    const [nic] = hardwareOf({ vm: aVm(), vmi }).networkInterfaces;
    expect(nic?.model).toBe('e1000e');
    expect(nic?.isLinkUp).toBe(isUp);
  });

  it('has the network of an interface with a lease, and its address if the guest does not report one', () => {
    const leased = [{ name: 'default', ipAddress: '10.0.0.9', prefixLength: 24, gateway: '10.0.0.1', vlan: 7 }];
    const dhcp = { address: '10.0.0.9', prefixLength: 24, gateway: '10.0.0.1', nameServers: [], vlan: 7 };
    const nicOf = (vmi?: ReturnType<typeof aVmi>) => hardwareOf({ vm: aVm(), vmi, leased }).networkInterfaces[0];
    expect(nicOf()).toMatchObject({ ipAddresses: [], dhcp });
    expect(nicOf(aVmi())).toMatchObject({ ipAddresses: ['10.0.0.9'], dhcp });
    const vmi = { ...aVmi(), status: { interfaces: [{ name: 'default', ipAddresses: ['10.0.0.8'] }] } };
    expect(nicOf(vmi)).toMatchObject({ ipAddresses: ['10.0.0.8'], dhcp });
  });

  it.each([
    ['renamed after its lease was made', [{ name: 'old', macAddress: '02:00:00:00:00:0a' }], '10.0.0.9'],
    ['unknown when its lease was made', [{ name: '02:00:00:00:00:0a', macAddress: '02:00:00:00:00:0a' }], '10.0.0.9'],
    ['told by a manager before this version', [{ name: 'lan' }], '10.0.0.9'],
    ['not the one that had its name', [{ name: 'lan', macAddress: '02:00:00:00:00:0b' }], undefined],
    ['told without a MAC address, under another name', [{ name: 'old' }], undefined],
  ])('has the network of an interface by its MAC address: %s', (_, told, address) => {
    const interfaces = [{ name: 'lan', macAddress: '02-00-00-00-00-0A' }];
    const vm = aVm({ guest: guestWith({ devices: { interfaces } }) });
    const leased = told.map((one) => ({ ...one, ipAddress: '10.0.0.9', prefixLength: 24 }));
    expect(hardwareOf({ vm, vmi: undefined, leased }).networkInterfaces[0]?.dhcp?.address).toBe(address);
  });

  it("returns the model of an interface, KubeVirt's default if unset, and none for a passed-through card", () => {
    const interfaces = [
      { name: 'lan' },
      { name: 'old', model: 'rtl8139' },
      { name: 'fast', model: 'e1000', sriov: {} },
    ];
    const vm = aVm({ guest: guestWith({ devices: { interfaces } }) });
    vm.spec.preference = { name: 'windows' };
    const modelsOf = (pair: Parameters<typeof hardwareOf>[0]): unknown[] =>
      hardwareOf(pair).networkInterfaces.map(({ model }) => model);
    expect(modelsOf({ vm, vmi: undefined })).toEqual([undefined, 'rtl8139', undefined]);
    const vmi = aVmi({ guest: guestWith({ devices: { interfaces } }) });
    expect(modelsOf({ vm, vmi })).toEqual(['virtio', 'rtl8139', undefined]);
  });

  it.each([
    ['amd64', 'x86-64'],
    ['arm64', 'arm64'],
    ['s390x', undefined],
    [undefined, undefined],
  ])('returns architecture %s', (architecture, told) => {
    const guest = { ...aGuest(), ...(architecture !== undefined && { architecture }) };
    expect(hardwareOf({ vm: aVm({ guest }), vmi: undefined }).architecture).toBe(told);
  });

  it.each([
    [{ efi: {} }, true],
    [{ efi: { secureBoot: false } }, false],
    [{ bios: {} }, undefined],
  ])('returns secure boot with %j', (bootloader, isOn) => {
    const guest = guestWith({ firmware: { bootloader } });
    expect(hardwareOf({ vm: aVm({ guest }), vmi: undefined }).secureBoot).toBe(isOn);
  });

  it("falls back to the pod's memory request", () => {
    const vm = aVm({ guest: guestWith({ resources: { requests: { memory: '512Mi' } } }) });
    expect(memoryBytesOf({ vm, vmi: undefined })).toBe(512 * 2 ** 20);
  });

  it('returns the manufacturer of a machine that is gone', () => {
    expect(hardwareOf({ vm: undefined, vmi: undefined })).toEqual({
      ...{ manufacturer: 'KubeVirt', networkInterfaces: [], disks: [] },
    });
  });
});
