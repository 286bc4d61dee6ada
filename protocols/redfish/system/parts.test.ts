import { describe, expect, it } from 'vitest';
import { MachineError } from '../../machine/index.ts';
import { MemoryMachine } from '../../testing/index.ts';
import { CHASSIS, SYSTEM } from '../uris.ts';
import { CALLER } from '../testing/index.ts';
import { SystemUnderTest } from '../testing/system-under-test.ts';

describe('Processors', () => {
  it('are the sockets, as Ironic reads them', async () => {
    expect(await new SystemUnderTest().get(`${SYSTEM}/Processors/1`)).toMatchObject({
      ProcessorArchitecture: 'x86',
      InstructionSet: 'x86-64',
      TotalCores: 2,
      TotalThreads: 4,
      Model: 'host-model',
    });
  });

  it('are one with all vCPUs if sockets are not known, also on arm64', async () => {
    const system = new SystemUnderTest();
    const { topology: _unknown, ...parts } = system.machine.parts;
    system.machine.parts = { ...parts, architecture: 'arm64' };
    expect(await system.get(`${SYSTEM}/Processors`)).toMatchObject({ 'Members@odata.count': 1 });
    expect(await system.get(`${SYSTEM}/Processors/1`)).toMatchObject({
      ProcessorArchitecture: 'ARM',
      InstructionSet: 'ARM-A64',
      TotalCores: null,
      TotalThreads: 8,
    });
  });
});

describe('Memory', () => {
  it('is one part', async () => {
    expect(await new SystemUnderTest().get(`${SYSTEM}/Memory/1`)).toMatchObject({
      CapacityMiB: 1536,
      VolatileSizeMiB: 1536,
    });
  });
});

describe('EthernetInterfaces', () => {
  it('have addresses and link, and null for unknown properties', async () => {
    expect(await new SystemUnderTest().get(`${SYSTEM}/EthernetInterfaces/default`)).toMatchObject({
      MACAddress: '02:00:00:00:00:0a',
      LinkStatus: 'LinkUp',
      SpeedMbps: null,
      HostName: 'vm-7',
      IPv4Addresses: [{ Address: '10.0.0.2', SubnetMask: null, AddressOrigin: null, Gateway: null }],
      IPv6Addresses: [{ Address: 'fd00::2', PrefixLength: null, AddressOrigin: null, AddressState: null }],
      Status: { State: 'Enabled', Health: 'OK' },
    });
  });

  it('show a disconnected link', async () => {
    expect(await new SystemUnderTest().get(`${SYSTEM}/EthernetInterfaces/storage`)).toMatchObject({
      MACAddress: null,
      LinkStatus: 'LinkDown',
    });
  });
});

describe('Storage', () => {
  it('has the disks, but not the virtual media drives', async () => {
    const system = new SystemUnderTest();
    expect(await system.get(`${SYSTEM}/Storage/1`)).toMatchObject({ 'Drives@odata.count': 2 });
    expect(await system.get(`${CHASSIS}/Drives/tools`)).toBeUndefined();
    expect(await system.get(`${CHASSIS}/Drives/root`)).toMatchObject({
      CapacityBytes: 10 * 2 ** 30,
      Protocol: null,
    });
    expect(await system.get(`${CHASSIS}/Drives/data`)).toMatchObject({
      CapacityBytes: null,
      Protocol: 'SATA',
      SerialNumber: 'D-2',
    });
    expect(await system.get(`${SYSTEM}/SimpleStorage/1`)).toMatchObject({
      Devices: [
        { Name: 'root', CapacityBytes: 10 * 2 ** 30 },
        { Name: 'data', CapacityBytes: null },
      ],
    });
  });

  it('has a controller for each bus, without volumes', async () => {
    const system = new SystemUnderTest();
    expect(await system.get(`${SYSTEM}/Storage/1/Controllers/sata`)).toMatchObject({
      SupportedDeviceProtocols: ['SATA'],
      SupportedRAIDTypes: [],
    });
    const volumes = system.routes.find(({ path }) => path === `${SYSTEM}/Storage/1/Volumes`)?.find({});
    expect(await volumes?.read()).toMatchObject({ Members: [] });
    await expect(volumes?.create?.apply({ RAIDType: 'RAID1' }, CALLER)).rejects.toMatchObject({
      status: 409,
      messages: [{ MessageId: 'Base.1.19.CreateLimitReachedForResource' }],
    });
  });
});

describe('SecureBoot', () => {
  it.each([
    [{ secureBoot: true, firmware: 'UEFI' }, true, 'Enabled'],
    [{ secureBoot: false, firmware: 'UEFI' }, false, 'Disabled'],
    [{ firmware: 'Legacy' }, false, 'Disabled'],
    [{}, null, null],
  ] as const)('of %o is %s', async (firmware, enable, current) => {
    const system = new SystemUnderTest();
    system.machine.parts = { ...new MemoryMachine().parts, ...firmware };
    system.machine.nextSecureBoot = 'secureBoot' in firmware ? firmware.secureBoot : undefined;
    expect(await system.get(`${SYSTEM}/SecureBoot`)).toMatchObject({
      SecureBootEnable: enable,
      SecureBootCurrentBoot: current,
    });
  });
});

describe('SecureBootEnable', () => {
  const uri = `${SYSTEM}/SecureBoot`;

  it('is switched from the next boot and audited', async () => {
    const system = new SystemUnderTest();
    system.machine.nextSecureBoot = true;
    await system.patch({ SecureBootEnable: false }, uri);
    expect(system.machine.calls).toEqual([{ kind: 'secureBoot', isOn: false, requester: CALLER.requester }]);
    expect(await system.get(uri)).toMatchObject({ SecureBootEnable: false, SecureBootCurrentBoot: 'Enabled' });
    await system.patch({ SecureBootEnable: true }, uri);
    await system.patch({ SecureBootEnable: true }, uri);
    expect(system.bmc.audited).toEqual([
      'Secure Boot was switched off from the next boot on',
      'Secure Boot was switched on from the next boot on',
    ]);
  });

  it('is not audited if the machine refuses it', async () => {
    const system = new SystemUnderTest();
    system.machine.nextError = new MachineError('NotSupported', 'a BIOS has no Secure Boot');
    await expect(system.patch({ SecureBootEnable: true }, uri)).rejects.toThrow('a BIOS has no Secure Boot');
    expect(system.bmc.audited).toEqual([]);
  });
});

describe('BootOptions', () => {
  it('have UEFI names and refer to their devices', async () => {
    const system = new SystemUnderTest();
    expect(await system.get(`${SYSTEM}/BootOptions/Boot2001`)).toMatchObject({
      BootOptionReference: 'Boot2001',
      DisplayName: 'Network interface default',
      Alias: 'Pxe',
      UefiDevicePath: 'MAC(02000000000A,0x1)',
      RelatedItem: [{ '@odata.id': `${SYSTEM}/EthernetInterfaces/default` }],
    });
    expect(await system.get(`${SYSTEM}/BootOptions/Boot0002`)).toMatchObject({
      Alias: 'Hdd',
      UefiDevicePath: null,
      RelatedItem: [{ '@odata.id': `${CHASSIS}/Drives/data` }],
    });
    expect(await system.get(`${SYSTEM}/BootOptions/Boot1001`)).toMatchObject({ Alias: 'Cd', RelatedItem: [] });
  });
});
