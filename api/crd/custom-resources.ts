import type { z } from 'zod';
import { AGENT_ROLLOUTS } from '../agent-rollout.ts';
import {
  IP_LEASES,
  IP_POOL_CONDITIONS,
  IP_POOLS,
  NETWORK_CONFIG_CONDITIONS,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
} from '../network-resources.ts';
import { agentRollout, ipLease, ipPool, virtualMachineBMC, virtualMachineNetworkConfig } from '../schemas/index.ts';
import { BMC_CONDITIONS, VIRTUAL_MACHINE_BMCS } from '../virtual-machine-bmc.ts';
import type { Kind, KubeObject } from '../object.ts';

const AGE: PrinterColumn = {
  name: 'AGE',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since creation.',
};

const PHASE = text('PHASE', '.status.phase', 'State in one word.');

/** All kinds of the API. The columns of KubeVirtBMC and vm-dhcp-controller come first, with their names. */
export const CUSTOM_RESOURCES: CustomResource[] = [
  {
    kind: VIRTUAL_MACHINE_BMCS,
    schema: virtualMachineBMC,
    shortNames: ['vmbmc', 'vmbmcs'],
    columns: [
      text('VIRTUALMACHINE', '.spec.virtualMachineRef.name', 'The virtual machine.'),
      text('SECRET', '.spec.authSecretRef.name', 'Secret with the credentials.'),
      text('CLUSTERIP', '.status.clusterIP', 'Address in the cluster.'),
      conditionColumn('SERVICEREADY', BMC_CONDITIONS.serviceReady, 'Whether the Service has an address.'),
      PHASE,
      text('POWER', '.status.powerState', 'Power state of the VM.'),
      { ...text('IPMI', '.status.endpoints.ipmi', 'Address and port of IPMI.'), priority: 1 },
      { ...text('AGENT', '.status.agent.name', 'Pod of the agent.'), priority: 1 },
      AGE,
    ],
  },
  {
    kind: IP_POOLS,
    schema: ipPool,
    shortNames: ['ippl', 'ippls'],
    columns: [
      text('NETWORK', '.spec.networkName', 'Network of the pool.'),
      integer('AVAILABLE', '.status.ipv4.available', 'Available addresses.'),
      integer('USED', '.status.ipv4.used', 'Leased addresses.'),
      integer('RESTING', '.status.ipv4.resting', "Addresses of deleted VMs whose clients' leases have not expired."),
      conditionColumn('REGISTERED', IP_POOL_CONDITIONS.registered, 'Whether the agents are deployed.'),
      conditionColumn('CACHEREADY', IP_POOL_CONDITIONS.cacheReady, 'Whether addresses can be allocated.'),
      conditionColumn('AGENTREADY', IP_POOL_CONDITIONS.agentReady, 'Whether the agents answer.'),
      PHASE,
      // Not of type date: kubectl shows a time in the future as <invalid>.
      { ...text('NEXTFREE', '.status.ipv4.nextFree', 'Time at which the first resting address is free.'), priority: 1 },
      AGE,
    ],
  },
  {
    kind: VIRTUAL_MACHINE_NETWORK_CONFIGS,
    schema: virtualMachineNetworkConfig,
    shortNames: ['vmnetcfg', 'vmnetcfgs'],
    columns: [
      text('VMNAME', '.spec.vmName', 'The virtual machine.'),
      conditionColumn('ALLOCATED', NETWORK_CONFIG_CONDITIONS.allocated, 'Whether every interface has its address.'),
      conditionColumn('DISABLED', NETWORK_CONFIG_CONDITIONS.disabled, 'Whether it is paused.'),
      conditionColumn('INSYNCED', NETWORK_CONFIG_CONDITIONS.inSynced, 'Whether it matches the VM.'),
      PHASE,
      AGE,
    ],
  },
  {
    kind: IP_LEASES,
    schema: ipLease,
    shortNames: ['iplease', 'ipleases'],
    columns: [
      text('ADDRESS', '.spec.ipAddress', 'The leased address.'),
      text('MAC', '.spec.macAddress', 'MAC address of the client.'),
      text('VM', '.spec.vmRef.name', 'VM of the client.'),
      text('STATE', '.status.state', 'State of the lease.'),
      text('EXPIRES', '.status.expires', 'Time until which the client may hold the address.'),
      {
        name: 'LAST-SEEN',
        type: 'date',
        jsonPath: '.status.lastSeen',
        description: 'Time of the last message of the client.',
      },
      AGE,
    ],
  },
  {
    kind: AGENT_ROLLOUTS,
    schema: agentRollout,
    shortNames: ['agentro'],
    columns: [
      PHASE,
      integer('WAVE', '.status.wave', 'Current wave; 1 is the canary.'),
      integer('TOTAL', '.status.total', 'All agents.'),
      integer('UPDATED', '.status.updated', 'Agents with the current image and settings.'),
      integer('READY', '.status.ready', 'Agents that are ready.'),
      integer('FAILING', '.status.failing', 'Updated agents that are not ready.'),
      text('REASON', '.status.reason', 'Reason of the first failure, or of the phase.'),
      { name: 'PAUSED', type: 'boolean', jsonPath: '.spec.paused', description: 'Whether it is paused.' },
      { ...text('REVISION', '.status.revision', 'The revision that agents get.'), priority: 1 },
      { ...text('AGENT', '.status.failures[0].name', 'The first failing agent.'), priority: 1 },
      AGE,
    ],
  },
];

function integer(name: string, jsonPath: string, description: string): PrinterColumn {
  return { name, type: 'integer', jsonPath, description };
}

function text(name: string, jsonPath: string, description: string): PrinterColumn {
  return { name, type: 'string', jsonPath, description };
}

/** A kind that Groundcrew adds to the API, with its kubectl columns. */
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
  type: 'string' | 'integer' | 'boolean' | 'date';
  jsonPath: string;
  description: string;
  priority?: number;
}

/** A column with the status of a condition. */
function conditionColumn(name: string, type: string, description: string): PrinterColumn {
  return { name, type: 'string', jsonPath: `.status.conditions[?(@.type=="${type}")].status`, description };
}
