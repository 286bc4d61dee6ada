import { z } from 'zod';
import { dateTime, immutable, ipv4, macAddress, objectName, rules, stringMap, text } from './fields.ts';

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
    ipAddress: ipv4('The leased address. Immutable.').meta(immutable),
    macAddress: macAddress('MAC address of the client. Immutable.').meta(immutable),
    vmNetworkConfigRef: objectReference('The VirtualMachineNetworkConfig that requested the address. Immutable.')
      .meta(immutable)
      .optional(),
    vmRef: objectReference('The VirtualMachine with the address. Immutable.').meta(immutable).optional(),
    interfaceName: text(63, 'Interface of the VM. Immutable.').meta(immutable).optional(),
    hostname: text(253, 'Host name (option 12). Immutable.').meta(immutable).optional(),
    boot: z
      .object({
        vmiUID: text(64, 'UID of the VMI of a one-time boot; absent: the override applies to every boot.').optional(),
        mode: z.enum(['Pxe', 'UefiHttp']).meta({ description: 'Method of the network boot.' }).optional(),
        uri: text(2048, "Boot file that replaces the pool's.").optional(),
        files: stringMap(
          16,
          2048,
          "Boot files of the interface by client, from its VirtualMachineNetworkConfig; they replace the pool's one by one.",
        ).optional(),
        consumed: z
          .boolean()
          .meta({
            description: 'The one-time network boot is done, by this or another interface: no boot file is sent.',
          })
          .optional(),
      })
      .meta({ description: 'The boot override of the VM, and the boot files of the interface.' })
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

/** The status of a lease whose client has not sent a message. Nobody writes it. */
const UNREPORTED = { state: 'Allocated', phase: 'Pending' } as const;

export const ipLeaseStatus = z
  .object({
    phase: z
      .enum(['Pending', 'Ready', 'Released', 'Failed'])
      .meta({
        description:
          'The state in one word, like the phases of other kinds. Pending: Allocated. Ready: Bound. Released: Released or Resting. ' +
          'Failed: Declined. Pending until the client has sent a message.',
      })
      .optional(),
    state: z
      .enum(['Allocated', 'Bound', 'Released', 'Declined', 'Resting'])
      .meta({
        description:
          'Allocated: not requested yet. Bound: in use by the client. Released: released by the client. Declined: in use by another host. ' +
          'Resting: its VM needs it no longer, but the lease of its client has not expired.',
      })
      .optional(),
    conflictingMAC: text(
      17,
      'MAC address of the other machine that answered ARP requests for the address; current while the state is Declined.',
    ).optional(),
    clientHostname: text(255, 'Host name sent by the client.').optional(),
    vendorClass: text(255, 'Vendor class sent by the client (option 60).').optional(),
    firstBound: dateTime('Time of the first ACK.').optional(),
    lastSeen: dateTime('Time of the last message of the client, updated periodically.').optional(),
    lastAck: dateTime('Time of the last ACK, updated periodically.').optional(),
    expires: dateTime(
      'Latest time at which the client holds the address. It is not leased to another client before.',
    ).optional(),
    bootConsumedUID: text(64, 'UID of the VMI whose one-time network boot is done.').optional(),
    agent: text(253, 'Pod of the agent that wrote the status.').optional(),
  })
  .meta({
    description: 'Status written by the DHCP agents; the manager writes the state Resting.',
    // Of a lease that no agent has reported on. A write for each lease would cost as much as the lease itself.
    default: UNREPORTED,
  });

/** The name contains the address, so a second lease of an address cannot be created. */
export const ipLease = z.object({ spec: ipLeaseSpec, status: ipLeaseStatus.optional() }).meta({
  description:
    'An address of an IPPool that is leased to a MAC address. Created by the manager; its name is <pool>.<address>.',
  ...rules({
    rule: "self.metadata.name.endsWith('.' + self.spec.ipAddress)",
    message: 'name must be <pool>.<ipAddress>',
  }),
});
