import type { Hardware, NetworkInterface } from '../../machine/index.ts';
import { collection, type Resource, type Route } from '../resource.ts';
import { CHASSIS, link } from '../uris.ts';
import { ETHERNET_INTERFACES, partRoutes, partUri, WELL } from './part.ts';

const ADAPTERS = `${CHASSIS}/NetworkAdapters`;

/** Each network interface of the machine as a card with one port and one function, which both have the ID `1`. */
export function networkAdapterRoutes(hardware: () => Hardware): Route[] {
  const routesOf = (
    schema: string,
    name: string,
    place: string,
    describe: (nic: NetworkInterface) => Resource,
  ): Route[] => {
    const find = (id: string | undefined): Resource | undefined => {
      const nic = hardware().networkInterfaces.find((candidate) => candidate.name === id);
      return nic && describe(nic);
    };
    const all = (id: string | undefined): Resource | undefined => {
      const resource = find(id);
      if (id === undefined || resource === undefined) return undefined;
      return collection(schema, name, () => [{ uri: `${partUri(ADAPTERS, id)}/${place}/1`, resource }]);
    };
    return [
      { path: `${ADAPTERS}/{part}/${place}`, find: ({ part: id }) => all(id) },
      { path: `${ADAPTERS}/{part}/${place}/1`, find: ({ part: id }) => find(id) },
    ];
  };
  return [
    ...partRoutes(ADAPTERS, 'NetworkAdapterCollection', 'Network adapters', () =>
      hardware().networkInterfaces.map((nic) => ({ id: nic.name, resource: adapter(nic) })),
    ),
    ...routesOf('PortCollection', 'Ports', 'Ports', port),
    ...routesOf(
      'NetworkDeviceFunctionCollection',
      'Network device functions',
      'NetworkDeviceFunctions',
      deviceFunction,
    ),
  ];
}

/** URIs of the port and of the function of a network interface. */
export function adapterLinks(name: string): { port: string; deviceFunction: string } {
  const uri = partUri(ADAPTERS, name);
  return { port: `${uri}/Ports/1`, deviceFunction: `${uri}/NetworkDeviceFunctions/1` };
}

function adapter({ name, model }: NetworkInterface): Resource {
  const uri = partUri(ADAPTERS, name);
  const links = adapterLinks(name);
  return {
    type: 'NetworkAdapter.v1_14_0.NetworkAdapter',
    read: () => ({
      Id: name,
      Name: `Network adapter ${name}`,
      Manufacturer: null,
      Model: model ?? null,
      SerialNumber: null,
      PartNumber: null,
      Ports: link(`${uri}/Ports`),
      NetworkDeviceFunctions: link(`${uri}/NetworkDeviceFunctions`),
      Controllers: [{ Links: { Ports: [link(links.port)], NetworkDeviceFunctions: [link(links.deviceFunction)] } }],
      Status: WELL,
    }),
  };
}

function port({ name, macAddress, isLinkUp }: NetworkInterface): Resource {
  return {
    type: 'Port.v1_18_0.Port',
    read: () => ({
      Id: '1',
      Name: `Port of network adapter ${name}`,
      PortId: '1',
      PortProtocol: 'Ethernet',
      PortType: 'BidirectionalPort',
      LinkNetworkTechnology: 'Ethernet',
      LinkStatus: isLinkUp === undefined ? null : isLinkUp ? 'LinkUp' : 'LinkDown',
      // The hypervisor guarantees no speed.
      CurrentSpeedGbps: null,
      Ethernet: { AssociatedMACAddresses: macAddress === undefined ? [] : [macAddress] },
      Links: { EthernetInterfaces: [link(partUri(ETHERNET_INTERFACES, name))] },
      Status: WELL,
    }),
  };
}

function deviceFunction({ name, macAddress }: NetworkInterface): Resource {
  return {
    type: 'NetworkDeviceFunction.v1_11_1.NetworkDeviceFunction',
    read: () => ({
      Id: '1',
      Name: `Function of network adapter ${name}`,
      NetDevFuncType: 'Ethernet',
      NetDevFuncCapabilities: ['Ethernet'],
      DeviceEnabled: true,
      Ethernet: { MACAddress: macAddress ?? null, PermanentMACAddress: macAddress ?? null },
      Links: {
        PhysicalNetworkPortAssignment: link(adapterLinks(name).port),
        EthernetInterfaces: [link(partUri(ETHERNET_INTERFACES, name))],
      },
      Status: WELL,
    }),
  };
}
