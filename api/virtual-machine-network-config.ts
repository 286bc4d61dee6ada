import type { z } from 'zod';
import type { Kind, KubeObject } from './object.ts';
import type {
  virtualMachineNetworkConfigSpec,
  virtualMachineNetworkConfigStatus,
} from './schemas/virtual-machine-network-config.ts';

/** The addresses of a virtual machine, interface by interface. */
export interface VirtualMachineNetworkConfig extends KubeObject {
  spec: VirtualMachineNetworkConfigSpec;
  status?: VirtualMachineNetworkConfigStatus;
}

export type VirtualMachineNetworkConfigSpec = z.input<typeof virtualMachineNetworkConfigSpec>;
export type VirtualMachineNetworkConfigStatus = z.input<typeof virtualMachineNetworkConfigStatus>;

export const VIRTUAL_MACHINE_NETWORK_CONFIGS: Kind<VirtualMachineNetworkConfig> = {
  group: 'network.harvesterhci.io',
  version: 'v1alpha1',
  kind: 'VirtualMachineNetworkConfig',
  plural: 'virtualmachinenetworkconfigs',
  namespaced: true,
};

/** Types of a VirtualMachineNetworkConfig's conditions. */
export const NETWORK_CONFIG_CONDITIONS = {
  allocated: 'Allocated',
  disabled: 'Disabled',
  inSynced: 'InSynced',
} as const;
