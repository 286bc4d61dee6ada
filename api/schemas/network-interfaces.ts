import { z } from 'zod';
import { integer, text } from './fields.ts';

const networkInterface = z
  .object({
    name: text(
      63,
      'Interface of the VM when its lease was made; its MAC address if that was not known, or is the name of another one.',
    ),
    macAddress: text(17, 'MAC address of the interface.').optional(),
    ipAddress: text(15, 'Leased address.').optional(),
    prefixLength: integer(0, 32, 'Length of the network prefix.').optional(),
    gateway: text(15, 'Default gateway.').optional(),
    nameServers: z.array(text(15, 'Address of a server.')).max(3).meta({ description: 'DNS servers.' }).optional(),
    vlan: integer(1, 4094, 'VLAN of the network.').optional(),
  })
  .meta({ description: "An interface on an IPPool's network." });

/** `status.networkInterfaces` of a BMC. */
export const networkInterfaces = z
  .array(networkInterface)
  .max(64)
  .meta({
    description: "The VM's interfaces on networks of IPPools, as DHCP configures them; Redfish shows them.",
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  });
