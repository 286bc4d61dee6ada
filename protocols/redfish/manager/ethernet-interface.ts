import { isIPv4, isIPv6 } from 'node:net';
import { collection } from '../collection.ts';
import type { RedfishContext } from '../context.ts';
import type { Resource, Route } from '../resource.ts';
import { MANAGER } from '../uris.ts';
import { NOTHING_WRITABLE } from './nothing-writable.ts';

const INTERFACES = `${MANAGER}/EthernetInterfaces`;

export function ethernetInterfaceRoutes(context: RedfishContext): Route[] {
  const find = (): Resource => ethernetInterface(context);
  const interfaces = collection('EthernetInterfaceCollection', 'Manager Ethernet Interfaces', () => [
    { uri: `${INTERFACES}/1`, resource: find() },
  ]);
  return [
    { path: INTERFACES, find: () => interfaces },
    { path: `${INTERFACES}/1`, find },
  ];
}

/**
 * The BMC's addresses in its cluster. They belong to its Service, which has no MAC address, speed, mask or gateway: profiles
 * require these properties, so they are null.
 */
function ethernetInterface({ options }: RedfishContext): Resource {
  return {
    type: 'EthernetInterface.v1_12_4.EthernetInterface',
    patch: NOTHING_WRITABLE,
    read: () => {
      const { hostName, fqdn, addresses } = options.network();
      return {
        Id: '1',
        Name: 'Manager Ethernet Interface',
        Status: { State: 'Enabled', Health: 'OK' },
        EthernetInterfaceType: 'Virtual',
        InterfaceEnabled: true,
        LinkStatus: 'LinkUp',
        MACAddress: null,
        SpeedMbps: null,
        HostName: hostName,
        FQDN: fqdn ?? null,
        NameServers: [],
        StaticNameServers: [],
        IPv4Addresses: addresses
          .filter((address) => isIPv4(address))
          .map((address) => ({ Address: address, SubnetMask: null, AddressOrigin: null, Gateway: null })),
        IPv6Addresses: addresses
          .filter((address) => isIPv6(address))
          .map((address) => ({ Address: address, PrefixLength: null, AddressOrigin: null, AddressState: null })),
      };
    },
  };
}
