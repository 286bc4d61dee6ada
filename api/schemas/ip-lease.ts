import { z } from 'zod';
import { dateTime, immutable, ipv4, macAddress, objectName, rules, text } from './fields.ts';

const objectReference = (description: string) =>
  z
    .object({
      namespace: text(63, 'Namespace of the object.').optional(),
      name: objectName('Name of the object.'),
      uid: text(64, 'UID of the object.').optional(),
    })
    .meta({ description, 'x-kubernetes-map-type': 'atomic' });

/** The optional fields that may be neither changed, nor added, nor removed. */
const FIXED = ['vmNetworkConfigRef', 'vmRef', 'interfaceName', 'hostname'];

export const ipLeaseSpec = z
  .object({
    ipAddress: ipv4('The address that is leased. Immutable.').meta(immutable),
    macAddress: macAddress('MAC address that it is leased to. Immutable.').meta(immutable),
    vmNetworkConfigRef: objectReference('The VirtualMachineNetworkConfig that asked for it. Immutable.')
      .meta(immutable)
      .optional(),
    vmRef: objectReference('The VirtualMachine that has it. Immutable.').meta(immutable).optional(),
    interfaceName: text(63, 'Interface of the VM. Immutable.').meta(immutable).optional(),
    hostname: text(253, 'Host name to give (option 12). Immutable.').meta(immutable).optional(),
    boot: z
      .object({
        vmiUID: text(64, 'UID of the VMI whose one boot this is for; absent: it is for every boot.').optional(),
        mode: z.enum(['Pxe', 'UefiHttp']).meta({ description: 'How it boots from the network.' }).optional(),
        uri: text(2048, "What it boots, in place of the pool's boot file.").optional(),
        consumed: z
          .boolean()
          .meta({
            description: 'That VMI has had its network boot, by this or another of its interfaces: no boot file.',
          })
          .optional(),
      })
      .meta({ description: 'A boot override that is in force on the VM.' })
      .optional(),
  })
  .meta({
    description: 'The lease.',
    ...rules(
      ...FIXED.map((field) => ({
        rule: `has(self.${field}) == has(oldSelf.${field})`,
        message: `${field} is immutable`,
      })),
    ),
  });

export const ipLeaseStatus = z
  .object({
    state: z
      .enum(['Allocated', 'Bound', 'Released', 'Declined'])
      .meta({
        description:
          'Allocated: never asked for. Bound: the client has it. Released: given back. Declined: the client found it in use.',
      })
      .optional(),
    clientHostname: text(255, 'Host name that the client gave.').optional(),
    vendorClass: text(255, 'Vendor class that the client gave (option 60).').optional(),
    firstBound: dateTime('When it was first acknowledged.').optional(),
    lastSeen: dateTime('When the client was last heard, written at intervals.').optional(),
    lastAck: dateTime('When it was last acknowledged, written at intervals.').optional(),
    expires: dateTime(
      'When the client no longer holds it, at the latest: before that nobody else is given the address.',
    ).optional(),
    bootConsumedUID: text(64, 'UID of the VMI that has had its network boot.').optional(),
    agent: text(253, 'Pod of the agent that wrote this.').optional(),
  })
  .meta({ description: 'What the DHCP agents saw of it.' });

/** The name carries the address: two leases of one address cannot both be created. */
export const ipLease = z.object({ spec: ipLeaseSpec, status: ipLeaseStatus.optional() }).meta({
  description:
    'An address of an IPPool that is leased to a MAC address. Made by the manager; its name is <pool>.<address>.',
  ...rules({
    rule: "self.metadata.name.endsWith('.' + self.spec.ipAddress)",
    message: 'name must be <pool>.<ipAddress>',
  }),
});
