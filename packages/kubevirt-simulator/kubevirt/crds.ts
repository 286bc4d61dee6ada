import type { CustomResourceDefinition, Draft } from '@groundcrew/controller-runtime';
import { definition, OPEN, type DefinitionOptions } from './definition.ts';

/*
 * KubeVirt's kinds with its printer columns (`virt-operator/resource/generate/components/crds.go`). The schemas describe
 * few fields; all others are accepted and kept.
 */

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
  spec: {
    ...OPEN,
    description: 'Specification of the virtual machine.',
    required: ['template'],
    properties: {
      runStrategy: { type: 'string', description: 'Always, Halted, Manual, RerunOnFailure or Once.' },
      running: { type: 'boolean', description: 'Deprecated: use runStrategy.' },
      template: {
        ...OPEN,
        description: 'Template of the instance.',
        properties: { spec: { ...OPEN, required: ['domain'] } },
      },
    },
  },
  status: OPEN,
  statusSubresource: true,
});

/** Instances have no status subresource. */
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
  spec: { ...OPEN, required: ['domain'] },
  status: OPEN,
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
  status: OPEN,
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
