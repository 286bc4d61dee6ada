import type { z } from 'zod';
import {
  IP_LEASES,
  IP_POOL_CONDITIONS,
  IP_POOLS,
  NETWORK_CONFIG_CONDITIONS,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
} from '../network-resources.ts';
import { ipLease, ipPool, virtualMachineBMC, virtualMachineNetworkConfig } from '../schemas/index.ts';
import { BMC_CONDITIONS, VIRTUAL_MACHINE_BMCS } from '../virtual-machine-bmc.ts';
import type { Kind, KubeObject } from '../object.ts';

const AGE: PrinterColumn = {
  name: 'AGE',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'How long it has been there.',
};

const PHASE = text('PHASE', '.status.phase', 'State in one word.');

/** All kinds of the API. The columns that KubeVirtBMC and vm-dhcp-controller show come first, under their names. */
export const CUSTOM_RESOURCES: CustomResource[] = [
  {
    kind: VIRTUAL_MACHINE_BMCS,
    schema: virtualMachineBMC,
    shortNames: ['vmbmc', 'vmbmcs'],
    columns: [
      text('VIRTUALMACHINE', '.spec.virtualMachineRef.name', 'The VM that it is of.'),
      text('SECRET', '.spec.authSecretRef.name', 'Secret with its credentials.'),
      text('CLUSTERIP', '.status.clusterIP', 'Address in the cluster.'),
      conditionColumn('SERVICEREADY', BMC_CONDITIONS.serviceReady, 'Whether its Service has an address.'),
      PHASE,
      text('POWER', '.status.powerState', 'Power state of the VM.'),
      { ...text('IPMI', '.status.endpoints.ipmi', 'Address and port of IPMI.'), priority: 1 },
      { ...text('AGENT', '.status.agent.name', 'Pod that serves it.'), priority: 1 },
      AGE,
    ],
  },
  {
    kind: IP_POOLS,
    schema: ipPool,
    shortNames: ['ippl', 'ippls'],
    columns: [
      text('NETWORK', '.spec.networkName', 'Network that it serves.'),
      { name: 'AVAILABLE', type: 'integer', jsonPath: '.status.ipv4.available', description: 'Addresses to lease.' },
      { name: 'USED', type: 'integer', jsonPath: '.status.ipv4.used', description: 'Leased addresses.' },
      conditionColumn('REGISTERED', IP_POOL_CONDITIONS.registered, 'Whether its agents are deployed.'),
      conditionColumn('CACHEREADY', IP_POOL_CONDITIONS.cacheReady, 'Whether addresses can be given.'),
      conditionColumn('AGENTREADY', IP_POOL_CONDITIONS.agentReady, 'Whether its agents answer.'),
      PHASE,
      AGE,
    ],
  },
  {
    kind: VIRTUAL_MACHINE_NETWORK_CONFIGS,
    schema: virtualMachineNetworkConfig,
    shortNames: ['vmnetcfg', 'vmnetcfgs'],
    columns: [
      text('VMNAME', '.spec.vmName', 'The VM that it is of.'),
      conditionColumn('ALLOCATED', NETWORK_CONFIG_CONDITIONS.allocated, 'Whether every interface has its address.'),
      conditionColumn('DISABLED', NETWORK_CONFIG_CONDITIONS.disabled, 'Whether it is paused.'),
      conditionColumn('INSYNCED', NETWORK_CONFIG_CONDITIONS.inSynced, 'Whether it is as the VM is.'),
      PHASE,
      AGE,
    ],
  },
  {
    kind: IP_LEASES,
    schema: ipLease,
    shortNames: ['iplease', 'ipleases'],
    columns: [
      text('ADDRESS', '.spec.ipAddress', 'The address that is leased.'),
      text('MAC', '.spec.macAddress', 'MAC address that it is leased to.'),
      text('VM', '.spec.vmRef.name', 'VM that has it.'),
      text('STATE', '.status.state', 'What became of it.'),
      { name: 'LAST-SEEN', type: 'date', jsonPath: '.status.lastSeen', description: 'When the client was last heard.' },
      AGE,
    ],
  },
];

function text(name: string, jsonPath: string, description: string): PrinterColumn {
  return { name, type: 'string', jsonPath, description };
}

/** One of the kinds that Groundcrew adds to the API, with what kubectl shows of it. */
export interface CustomResource {
  kind: Kind<KubeObject>;
  /** `spec` and `status`, and rules on the whole object. */
  schema: z.ZodType;
  shortNames: string[];
  columns: PrinterColumn[];
}

/** A column of `kubectl get`; those of priority 1 show with `-o wide`. */
export interface PrinterColumn {
  name: string;
  type: 'string' | 'integer' | 'date';
  jsonPath: string;
  description: string;
  priority?: number;
}

/** A column with the status of a condition. */
function conditionColumn(name: string, type: string, description: string): PrinterColumn {
  return { name, type: 'string', jsonPath: `.status.conditions[?(@.type=="${type}")].status`, description };
}
