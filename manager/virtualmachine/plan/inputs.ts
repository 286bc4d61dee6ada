import type { VirtualMachine, VirtualMachineInstance, VirtualMachineNetworkConfig } from '../../../api/index.ts';

/** All that is evaluated of one virtual machine, read in one go. */
export interface Inputs {
  vm: VirtualMachine;
  /** Of the same name, whatever its phase. */
  instance: VirtualMachineInstance | undefined;
  /** All configs of the namespace that name the VM, or have its name. */
  configs: readonly VirtualMachineNetworkConfig[];
  /** Those networks (`namespace/name`) of the VM that have a pool. */
  managedNetworks: ReadonlySet<string>;
  /** Absent: interfaces without a MAC address are given none. */
  clusterUid: string | undefined;
}
