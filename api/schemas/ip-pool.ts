import { z } from 'zod';
import {
  bootFiles,
  conditions,
  count,
  dateTime,
  flag,
  immutable,
  integer,
  ipv4,
  ipv4Cidr,
  macAddress,
  networkName,
  rules,
  text,
  word,
} from './fields.ts';
import * as pod from './scheduling.ts';

const pool = z
  .object({
    start: ipv4('First address to lease.'),
    end: ipv4('Last address to lease.'),
    exclude: z
      .array(
        z
          .string()
          .max(40)
          .regex(/^[0-9.]+([-/][0-9.]+)?$/)
          .meta({
            patternMessage:
              'must be an IPv4 address, a range such as 10.0.0.5-10.0.0.9, or a network such as 10.0.0.8/29',
          }),
      )
      .max(256)
      .meta({ description: 'Addresses that are not leased: 10.0.0.5, 10.0.0.5-10.0.0.9 or 10.0.0.8/29.' })
      .optional(),
  })
  .meta({
    description: 'Addresses to lease. The range can only be widened; addresses can be excluded and taken back.',
  });

const reservation = z
  .object({
    macAddress: macAddress('MAC address of the reservation.').optional(),
    vmName: word(253, 'VirtualMachine of the reservation.').optional(),
    ipAddress: ipv4('The reserved address.'),
    hostname: word(253, 'Host name (option 12).').optional(),
  })
  .meta({
    description: 'An address that is reserved for a MAC address or a VM.',
    ...rules({
      rule: 'has(self.macAddress) != has(self.vmName)',
      message: 'exactly one of macAddress and vmName must be set',
    }),
  });

const netboot = z
  .object({
    nextServer: ipv4('TFTP server.').optional(),
    bootFiles: bootFiles('Boot file by client architecture (option 93).').optional(),
  })
  .meta({ description: 'Network boot. Absent: no boot options are sent.' });

const ipv4Config = z
  .object({
    cidr: ipv4Cidr('The network. Immutable.').meta(immutable),
    serverIP: ipv4('Address of the DHCP server on the network. Immutable.').meta(immutable),
    serverIPs: z
      .array(ipv4('Address of a server.'))
      .min(1)
      .max(8)
      .meta({
        description: 'Addresses of several equal DHCP servers, each with an agent; the first is serverIP.',
        'x-kubernetes-list-type': 'set',
      })
      .optional(),
    router: ipv4('Default gateway (option 3). Absent: the option is not sent.').optional(),
    pool,
    dns: z.array(ipv4('Address of a server.')).max(3).meta({ description: 'DNS servers (option 6).' }).optional(),
    domainName: text(253, 'Domain name (option 15).').optional(),
    domainSearch: z
      .array(z.string().max(253))
      .max(32)
      .meta({ description: 'Domains to search (option 119).' })
      .optional(),
    ntp: z
      .array(z.string().max(253))
      .max(4)
      .meta({
        description:
          'NTP servers (option 42), addresses or full names. The manager resolves names to public addresses, and to those that ' +
          "the installation allows (the chart's dhcp.allowedNTPRanges).",
      })
      .optional(),
    leaseTime: z
      .int()
      .max(4_294_967_295)
      .meta({
        description:
          'Lease time in seconds (option 51). Default, also for 0 or less: 43200, 12 hours. The address of a deleted VM rests ' +
          'for the lease time plus ten minutes before another VM gets it.',
      })
      .optional(),
    reservations: z.array(reservation).max(1024).meta({ description: 'Reserved addresses.' }).optional(),
    routes: z
      .array(
        z
          .object({ destination: ipv4Cidr('Network to reach.'), gateway: ipv4('Router to the network.') })
          .meta({ description: 'A static route.' }),
      )
      .max(64)
      .meta({ description: 'Static routes (option 121).' })
      .optional(),
    relays: z
      .array(
        z
          .string()
          .max(49)
          .regex(/^[0-9.]+(\/[0-9]+)?$/)
          .meta({ patternMessage: 'must be an IPv4 address, or a network such as 10.1.0.0/28' }),
      )
      .max(32)
      .meta({
        description:
          'Relay agents outside of cidr, by the address that they put into requests (giaddr): 10.1.0.1, or a network such as ' +
          '10.1.0.0/28. The agents answer no others, and reach these through router. They must name the network of the client by link ' +
          'selection (RFC 3527) or subnet selection (RFC 3011).',
        'x-kubernetes-list-type': 'set',
      })
      .optional(),
    mtu: integer(68, 65_535, 'MTU of the network (option 26).').optional(),
    options: z
      .array(
        z
          .object({
            code: integer(1, 254, 'Number of the option.'),
            type: z
              .enum(['text', 'ip', 'ips', 'uint8', 'uint16', 'uint32', 'boolean', 'hex'])
              .meta({ description: 'Encoding of value; ips are separated by commas.' }),
            value: text(1024, 'The value in the notation of its type.'),
          })
          .meta({ description: 'A DHCP option.' }),
      )
      .max(64)
      .meta({
        description: 'Further options.',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['code'],
      })
      .optional(),
    netboot: netboot.optional(),
  })
  .meta({
    description: 'IPv4 settings of the pool. Cannot be removed.',
    ...rules({
      rule: '!has(self.serverIPs) || self.serverIPs[0] == self.serverIP',
      message: 'the first of serverIPs must be serverIP',
    }),
  });

export const ipPoolSpec = z
  .object({
    networkName: networkName(
      "The net-attach-def that the pool serves, as namespace/name; without a namespace: the pool's own. Immutable.",
    ).meta(immutable),
    paused: flag('Stop serving; leases do not change. Default: false.').optional(),
    ipv4Config: ipv4Config.optional(),
    agent: z
      .object({
        image: word(1024, 'Image of the agents.').optional(),
        imagePullSecrets: pod.imagePullSecrets.optional(),
        resources: pod.resources.optional(),
        nodeSelector: pod.nodeSelector.optional(),
        tolerations: pod.tolerations.optional(),
        affinity: pod.affinity.optional(),
      })
      .meta({
        description: "The agents of the pool; overrides the installation's defaults.",
      })
      .optional(),
  })
  .meta({
    description: 'The desired pool.',
    // Otherwise a second update could add another ipv4Config: transition rules of its fields need an old value.
    ...rules({
      rule: '!has(oldSelf.ipv4Config) || has(self.ipv4Config)',
      message: 'ipv4Config cannot be removed: delete the pool instead',
    }),
  });

export const ipPoolStatus = z
  .object({
    phase: z
      .enum(['Pending', 'Provisioning', 'Ready', 'Degraded', 'Paused', 'Failed'])
      .meta({ description: 'The state in one word.' })
      .optional(),
    observedGeneration: pod.observedGeneration.optional(),
    lastUpdate: dateTime('Time of the last change of the status.').optional(),
    ipv4: z
      .object({
        allocated: z
          .record(z.string(), z.string().max(17))
          .meta({
            description: 'MAC address by address, or EXCLUDED or RESERVED. The IPLeases are authoritative.',
            maxProperties: 4096,
            // Atomic: otherwise managedFields would have an entry for each address.
            'x-kubernetes-map-type': 'atomic',
          })
          .optional(),
        allocatedTruncated: flag('There are more leases than entries in allocated.').optional(),
        used: count('Leased addresses.').optional(),
        available: count('Available addresses.').optional(),
        total: count('Addresses of the pool.').optional(),
        resting: count(
          "Addresses without a VM whose last client's lease has not expired. They are neither used nor available.",
        ).optional(),
        nextFree: dateTime('Time at which the first of the resting addresses is available.').optional(),
        ntpServers: z
          .array(ipv4('Address of a server.'))
          .max(16)
          .meta({ description: 'Addresses of the servers in ntp, with resolved names, in order.' })
          .optional(),
      })
      .meta({ description: 'Usage of the pool.' })
      .optional(),
    agentPodRef: z
      .object({
        namespace: text(63, 'Namespace of the pod.').optional(),
        name: text(253, 'Name of the pod.').optional(),
        image: text(1024, 'Image of the pod.').optional(),
        uid: text(64, 'UID of the pod.').optional(),
      })
      .meta({ description: 'Pod of the first agent.' })
      .optional(),
    agents: z
      .array(
        z
          .object({
            name: text(253, 'Pod of the agent.').optional(),
            node: text(253, 'Node of the pod.').optional(),
            serverIP: ipv4('Server address of the agent.'),
            ready: flag('Whether the agent answers.').optional(),
          })
          .meta({ description: 'An agent.' }),
      )
      .max(8)
      .meta({
        description: 'The agents that serve the pool.',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['serverIP'],
      })
      .optional(),
    conditions: conditions.optional(),
  })
  .meta({ description: 'The observed pool.' });

/** The name is a label value of the pool's leases. */
export const ipPool = z.object({ spec: ipPoolSpec, status: ipPoolStatus.optional() }).meta({
  description: 'Addresses of a VM network, leased to virtual machines by DHCP.',
  ...rules({ rule: 'size(self.metadata.name) <= 63', message: 'name must have 63 characters or fewer' }),
});
