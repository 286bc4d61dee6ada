import { isIPv4 } from 'node:net';
import type { Hardware, NetworkInterface } from '../../machine/index.ts';
import type { JsonObject } from '../json.ts';
import { WELL } from './health.ts';
import type { Part } from './part.ts';

/** The machine's network interfaces, by the names that they have in its configuration. */
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
 * Its rate, and what the guest was configured with beside the addresses, is not known. Interfaces count as enabled and well whether
 * the machine runs or not: Ironic enrols no others, and inspects machines that are off.
 */
function describe({ name, macAddress, ipAddresses, isLinkUp }: NetworkInterface, hostName?: string): JsonObject {
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
    NameServers: [],
    IPv4Addresses: ipAddresses
      .filter(isIPv4)
      .map((address) => ({ Address: address, SubnetMask: null, AddressOrigin: null, Gateway: null })),
    IPv6Addresses: ipAddresses
      .filter((address) => !isIPv4(address))
      .map((address) => ({ Address: address, PrefixLength: null, AddressOrigin: null, AddressState: null })),
    Status: WELL,
  };
}
