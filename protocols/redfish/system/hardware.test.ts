import { beforeEach, describe, expect, it } from 'vitest';
import { CHASSIS, SYSTEM } from '../uris.ts';
import { CALLER } from '../testing/index.ts';
import { SystemUnderTest } from '../testing/system-under-test.ts';
import { ipv4AddressesOf } from './hardware.ts';

let system: SystemUnderTest;

beforeEach(() => {
  system = new SystemUnderTest();
});

describe('Processors', () => {
  it('are the sockets, as Ironic reads them', async () => {
    expect(await system.get(`${SYSTEM}/Processors/1`)).toMatchObject({
      ProcessorArchitecture: 'x86',
      InstructionSet: 'x86-64',
      TotalCores: 2,
      TotalThreads: 4,
      Model: 'host-model',
    });
  });

  it('are one with all vCPUs if sockets are not known, also on arm64', async () => {
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
    expect(await system.get(`${SYSTEM}/Memory/1`)).toMatchObject({
      CapacityMiB: 1536,
      VolatileSizeMiB: 1536,
    });
  });
});

describe('EthernetInterfaces', () => {
  it('have addresses and link, and null for unknown properties', async () => {
    expect(await system.get(`${SYSTEM}/EthernetInterfaces/default`)).toMatchObject({
      MACAddress: '02:00:00:00:00:0a',
      LinkStatus: 'LinkUp',
      SpeedMbps: null,
      HostName: 'vm-7',
      IPv4Addresses: [{ Address: '10.0.0.2', SubnetMask: null, AddressOrigin: null, Gateway: null }],
      IPv6Addresses: [{ Address: 'fd00::2', PrefixLength: null, AddressOrigin: null, AddressState: null }],
      Status: { State: 'Enabled', Health: 'OK' },
    });
  });

  it('have a gateway in the first IPv4 address only: a second one must not have any', () => {
    expect(ipv4AddressesOf(['192.0.2.1', '2001:db8::1', '192.0.2.2'])).toEqual([
      { Address: '192.0.2.1', SubnetMask: null, AddressOrigin: null, Gateway: null },
      { Address: '192.0.2.2', SubnetMask: null, AddressOrigin: null },
    ]);
  });

  it('show the mask, the gateway and the VLAN of a leased address', async () => {
    const [nic, ...others] = system.machine.parts.networkInterfaces;
    if (nic === undefined) throw new Error('there is no interface');
    const dhcp = { address: '10.0.0.2', prefixLength: 20, gateway: '10.0.0.1', nameServers: ['10.0.0.3'], vlan: 7 };
    const ipAddresses = ['192.0.2.2', '10.0.0.2'];
    system.machine.parts = { ...system.machine.parts, networkInterfaces: [{ ...nic, ipAddresses, dhcp }, ...others] };
    const payload = await system.get(`${SYSTEM}/EthernetInterfaces/default`);
    expect(payload).toMatchObject({
      NameServers: ['10.0.0.3'],
      VLAN: { VLANEnable: true, VLANId: 7 },
      IPv4Addresses: [
        { Address: '10.0.0.2', SubnetMask: '255.255.240.0', AddressOrigin: 'DHCP', Gateway: '10.0.0.1' },
        { Address: '192.0.2.2', SubnetMask: null, AddressOrigin: null },
      ],
    });
  });

  it('show a disconnected link', async () => {
    expect(await system.get(`${SYSTEM}/EthernetInterfaces/storage`)).toMatchObject({
      MACAddress: null,
      LinkStatus: 'LinkDown',
    });
  });
});

describe('NetworkAdapters', () => {
  const adapter = `${CHASSIS}/NetworkAdapters/default`;

  it('are the network interfaces, each with a port and a function', async () => {
    expect(await system.get(`${CHASSIS}/NetworkAdapters`)).toMatchObject({ 'Members@odata.count': 2 });
    expect(await system.get(adapter)).toMatchObject({ Model: 'virtio', Ports: { '@odata.id': `${adapter}/Ports` } });
    expect(await system.get(`${adapter}/Ports`)).toMatchObject({ Members: [{ '@odata.id': `${adapter}/Ports/1` }] });
    expect(await system.get(`${adapter}/Ports/1`)).toMatchObject({
      LinkStatus: 'LinkUp',
      Ethernet: { AssociatedMACAddresses: ['02:00:00:00:00:0a'] },
    });
    expect(await system.get(`${adapter}/NetworkDeviceFunctions/1`)).toMatchObject({
      Ethernet: { MACAddress: '02:00:00:00:00:0a' },
      Links: { EthernetInterfaces: [{ '@odata.id': `${SYSTEM}/EthernetInterfaces/default` }] },
    });
    expect(await system.get(`${SYSTEM}/EthernetInterfaces/default`)).toMatchObject({
      Links: { Ports: [{ '@odata.id': `${adapter}/Ports/1` }] },
    });
  });

  it('do not exist for unknown interfaces', async () => {
    expect(await system.get(`${CHASSIS}/NetworkAdapters/none/Ports`)).toBeUndefined();
    expect(await system.get(`${CHASSIS}/NetworkAdapters/none/Ports/1`)).toBeUndefined();
  });
});

describe('TrustedComponents', () => {
  it('have the TPM, to which the System links', async () => {
    const tpm = { '@odata.id': `${CHASSIS}/TrustedComponents/TPM` };
    expect(await system.get()).toMatchObject({ Links: { TrustedComponents: [tpm] } });
    expect(await system.get()).not.toHaveProperty('TrustedModules');
    expect(await system.get(`${CHASSIS}/TrustedComponents`)).toMatchObject({ Members: [tpm] });
    expect(await system.get(tpm['@odata.id'])).toMatchObject({ Model: 'TPM 2.0', Status: { State: 'Enabled' } });
    system.bmc.legacyProperties = true;
    expect(await system.get()).toMatchObject({ TrustedModules: [{ InterfaceType: 'TPM2_0' }] });
  });

  it('have no members without a TPM', async () => {
    system.bmc.legacyProperties = true;
    system.machine.parts = { ...system.machine.parts, hasTpm: false };
    expect(await system.get()).not.toHaveProperty('TrustedModules');
    expect(await system.get(`${CHASSIS}/TrustedComponents`)).toMatchObject({ Members: [] });
    expect(await system.get(`${CHASSIS}/TrustedComponents/TPM`)).toBeUndefined();
  });
});

describe('Storage', () => {
  it('has the disks, but not the virtual media drives', async () => {
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
