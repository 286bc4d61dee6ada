import type { CustomResourceDefinition, Draft } from '@groundcrew/controller-runtime';
import { definition, type DefinitionOptions } from '../kubevirt/definition.ts';
import {
  INSTANCE_SPEC,
  INSTANCE_STATUS,
  MIGRATION_SPEC,
  MIGRATION_STATUS,
  VIRTUAL_MACHINE_SPEC,
  VIRTUAL_MACHINE_STATUS,
} from './schemas.ts';

/** As KubeVirt's own (`virt-operator/resource/generate/components/crds.go`); what the schema does not describe is kept. */
export const VIRTUAL_MACHINE_CRD = crd({
  kind: 'VirtualMachine',
  shortNames: ['vm', 'vms'],
  columns: [
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Status', type: 'string', jsonPath: '.status.printableStatus', description: 'Human Readable Status' },
    { name: 'Ready', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
  ],
  description:
    'VirtualMachine handles the VirtualMachines that are not running or are in a stopped state. ' +
    'The VirtualMachine contains the template to create the VirtualMachineInstance.',
  spec: VIRTUAL_MACHINE_SPEC,
  status: VIRTUAL_MACHINE_STATUS,
  statusSubresource: true,
});

/** KubeVirt's instances have no status subresource: their status is written with the object. */
export const VIRTUAL_MACHINE_INSTANCE_CRD = crd({
  kind: 'VirtualMachineInstance',
  shortNames: ['vmi', 'vmis'],
  columns: [
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'IP', type: 'string', jsonPath: '.status.interfaces[0].ipAddress' },
    { name: 'NodeName', type: 'string', jsonPath: '.status.nodeName' },
    { name: 'Ready', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
    {
      name: 'Live-Migratable',
      type: 'string',
      jsonPath: ".status.conditions[?(@.type=='LiveMigratable')].status",
      priority: 1,
    },
    { name: 'Paused', type: 'string', jsonPath: ".status.conditions[?(@.type=='Paused')].status", priority: 1 },
  ],
  description:
    'VirtualMachineInstance is *the* VirtualMachineInstance Definition. It represents a virtual machine in the runtime environment of kubernetes.',
  spec: INSTANCE_SPEC,
  status: INSTANCE_STATUS,
  statusSubresource: false,
});

export const MIGRATION_CRD = crd({
  kind: 'VirtualMachineInstanceMigration',
  shortNames: ['vmim', 'vmims'],
  columns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    {
      name: 'VMI',
      type: 'string',
      jsonPath: '.spec.vmiName',
      description: 'The name of the VMI to perform the migration on',
    },
  ],
  description:
    "VirtualMachineInstanceMigration represents the object tracking a VMI's migration to another host in the cluster.",
  spec: MIGRATION_SPEC,
  status: MIGRATION_STATUS,
  statusSubresource: true,
});

type Options = Omit<DefinitionOptions, 'group' | 'version' | 'plural' | 'scope' | 'categories'>;

function crd(options: Options): Draft<CustomResourceDefinition> {
  const plural = `${options.kind.toLowerCase()}s`;
  return definition({
    group: 'kubevirt.io',
    version: 'v1',
    plural,
    scope: 'Namespaced',
    categories: ['all'],
    ...options,
  });
}
