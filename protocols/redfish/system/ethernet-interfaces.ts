import { isIPv4 } from 'node:net';
import type { Hardware, NetworkInterface } from '../../machine/index.ts';
import type { JsonObject } from '../json.ts';
import { WELL } from './health.ts';
import type { Part } from './part.ts';

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
