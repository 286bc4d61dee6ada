import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Hardware, InterfaceNetwork, NetworkInterface } from '../../machine/index.ts';
import type { JsonObject } from '../json.ts';
import { link, SYSTEM } from '../uris.ts';
import { adapterLinks } from './network-adapter.ts';
import { type Part, WELL } from './part.ts';

const { IPv4 } = ipaddr;

const ARCHITECTURES = { 'x86-64': 'x86', arm64: 'ARM' } as const;
const INSTRUCTION_SETS = { 'x86-64': 'x86-64', arm64: 'ARM-A64' } as const;

/** One for each socket; a single one with all vCPUs if the sockets are not known. */
export function processorsOf({ topology, cpuCount, cpuModel, architecture }: Hardware): Part[] {
  const threads = topology === undefined ? cpuCount : topology.cores * topology.threads;
  return Array.from({ length: topology?.sockets ?? 1 }, (_, index) => {
    const id = String(index + 1);
    return {
      id,
      resource: {
        type: 'Processor.v1_22_0.Processor',
        read: () => ({
          Id: id,
          Name: `Processor ${id}`,
          ProcessorType: 'CPU',
          ProcessorArchitecture: architecture === undefined ? null : ARCHITECTURES[architecture],
          InstructionSet: architecture === undefined ? null : INSTRUCTION_SETS[architecture],
          Model: cpuModel ?? null,
          TotalCores: topology?.cores ?? null,
          TotalThreads: threads ?? null,
          // The hypervisor guarantees no clock rate, and none is measured.
          MaxSpeedMHz: null,
          Status: WELL,
        }),
      },
    };
  });
}

/** The memory as one part; there are no modules. */
export function memoryOf({ memoryBytes }: Hardware): Part[] {
  const size = memoryBytes === undefined ? null : Math.floor(memoryBytes / 2 ** 20);
  return [
    {
      id: '1',
      resource: {
        type: 'Memory.v1_23_0.Memory',
        read: () => ({
          Id: '1',
          Name: 'Memory',
          MemoryType: 'DRAM',
          CapacityMiB: size,
          VolatileSizeMiB: size,
          Status: WELL,
        }),
      },
    },
  ];
}

/** The machine's network interfaces, with the names of its configuration. */
export function ethernetInterfacesOf({ networkInterfaces, operatingSystem }: Hardware): Part[] {
  return networkInterfaces.map((networkInterface) => ({
    id: networkInterface.name,
    resource: {
      type: 'EthernetInterface.v1_12_4.EthernetInterface',
      read: () => describe(networkInterface, operatingSystem?.hostname),
    },
  }));
}

/**
 * Speed and guest configuration apart from addresses are not known. Interfaces are always enabled and healthy: Ironic enrols no
 * others, and inspects machines that are off.
 */
function describe({ name, macAddress, ipAddresses, isLinkUp, dhcp }: NetworkInterface, hostName?: string): JsonObject {
  return {
    Id: name,
    Name: `Network interface ${name}`,
    EthernetInterfaceType: 'Virtual',
    MACAddress: macAddress ?? null,
    PermanentMACAddress: macAddress ?? null,
    InterfaceEnabled: true,
    LinkStatus: isLinkUp === undefined ? null : isLinkUp ? 'LinkUp' : 'LinkDown',
    SpeedMbps: null,
    HostName: hostName ?? null,
    FQDN: null,
    NameServers: dhcp?.nameServers ?? [],
    ...(dhcp?.vlan !== undefined && { VLAN: { VLANEnable: true, VLANId: dhcp.vlan } }),
    IPv4Addresses: ipv4AddressesOf(ipAddresses, dhcp),
    IPv6Addresses: ipAddresses
      .filter((address) => !isIPv4(address))
      .map((address) => ({ Address: address, PrefixLength: null, AddressOrigin: null, AddressState: null })),
    Links: {
      Ports: [link(adapterLinks(name).port)],
      NetworkDeviceFunctions: [link(adapterLinks(name).deviceFunction)],
    },
    Status: WELL,
  };
}

/**
 * `IPv4Addresses` of an EthernetInterface. Only the first address has a gateway (IPAddresses schema), so the leased one is first.
 *
 * @param dhcp the network of the interface; other addresses of the guest are not the platform's
 */
export function ipv4AddressesOf(addresses: readonly string[], dhcp?: InterfaceNetwork): JsonObject[] {
  const isLeased = (address: string): boolean => address === dhcp?.address;
  return addresses
    .filter(isIPv4)
    .toSorted((a, b) => Number(isLeased(b)) - Number(isLeased(a)))
    .map((address, index) => ({
      Address: address,
      SubnetMask: dhcp && isLeased(address) ? IPv4.subnetMaskFromPrefixLength(dhcp.prefixLength).toString() : null,
      AddressOrigin: isLeased(address) ? 'DHCP' : null,
      ...(index === 0 && { Gateway: (isLeased(address) ? dhcp?.gateway : undefined) ?? null }),
    }));
}

/** The TPM. Its keys and measurements are only in the guest. */
export function trustedComponentsOf({ hasTpm }: Pick<Hardware, 'hasTpm'>): Part[] {
  if (hasTpm !== true) return [];
  return [
    {
      id: 'TPM',
      resource: {
        type: 'TrustedComponent.v1_4_0.TrustedComponent',
        read: () => ({
          Id: 'TPM',
          Name: 'TPM 2.0',
          TrustedComponentType: 'Integrated',
          Model: 'TPM 2.0',
          Status: WELL,
          Links: { ComponentsProtected: [link(SYSTEM)] },
        }),
      },
    },
  ];
}

/** The deprecated predecessor of the System's link to the TPM. */
export function trustedModulesOf({ hasTpm }: Pick<Hardware, 'hasTpm'>): JsonObject {
  return hasTpm === true ? { TrustedModules: [{ InterfaceType: 'TPM2_0', Status: WELL }] } : {};
}
