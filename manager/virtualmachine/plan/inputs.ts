import type { VirtualMachine, VirtualMachineInstance, VirtualMachineNetworkConfig } from '../../../api/index.ts';

/** All inputs for one virtual machine, read at one time. */
export interface Inputs {
  vm: VirtualMachine;
  /** The instance of the same name, in any phase. */
  instance: VirtualMachineInstance | undefined;
  /** All configs of the namespace that name the VM or have its name. */
  configs: readonly VirtualMachineNetworkConfig[];
  /** The VM's networks (`namespace/name`) that have a pool. */
  managedNetworks: ReadonlySet<string>;
  /** Absent: assign no MAC addresses. */
  clusterUid: string | undefined;
}
