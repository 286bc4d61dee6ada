import { z } from 'zod';
import { bootFiles, conditions, flag, immutable, ipv4, macAddress, networkName, objectName, text } from './fields.ts';

const networkConfig = z
  .object({
    networkName: networkName('Network of the interface, the net-attach-def as namespace/name.'),
    macAddress: macAddress('MAC address of the interface.'),
    ipAddress: ipv4('Address to lease. Absent: any free address.').optional(),
    bootFiles: bootFiles("Boot files that replace the pool's one by one. An empty text: no file.").optional(),
    retain: flag('Keep the lease when the VM is deleted, for a VM of the same name. Default: false.').optional(),
  })
  .meta({ description: 'An interface that gets an address.' });

export const virtualMachineNetworkConfigSpec = z
  .object({
    vmName: objectName('VirtualMachine of the same namespace. Immutable.').meta(immutable),
    paused: flag('Release all leases and allocate none. Default: false.').optional(),
    networkConfigs: z
      .array(networkConfig)
      .max(64)
      .meta({ description: 'The interfaces that get addresses.' })
      .optional(),
  })
  .meta({ description: 'The desired addresses.' });

export const virtualMachineNetworkConfigStatus = z
  .object({
    phase: z
      .enum(['Pending', 'Ready', 'Degraded', 'Paused', 'Failed'])
      .meta({ description: 'The state in one word.' })
      .optional(),
    networkConfigs: z
      .array(
        z
          .object({
            networkName: text(317, 'Network of the interface.').optional(),
            macAddress: text(17, 'MAC address of the interface.').optional(),
            allocatedIPAddress: text(15, 'Allocated address.').optional(),
            state: z
              .enum(['Allocated', 'Pending', 'Stale'])
              .meta({ description: 'Stale: no longer in spec, about to be released.' })
              .optional(),
          })
          .meta({ description: 'An interface and its address.' }),
      )
      .max(128)
      .meta({ description: 'The interfaces and their addresses.' })
      .optional(),
    conditions: conditions.optional(),
  })
  .meta({ description: 'The allocated addresses.' });

export const virtualMachineNetworkConfig = z
  .object({ spec: virtualMachineNetworkConfigSpec, status: virtualMachineNetworkConfigStatus.optional() })
  .meta({ description: 'The addresses of a virtual machine, by interface.' });
