import { labelValue } from './names.ts';

/** Labels of what the manager makes for a BMC; the first two are those that KubeVirtBMC's users select by. */
export const LABELS = {
  bmc: 'kubevirt.io/virtualmachinebmc-name',
  virtualMachine: 'kubevirt.io/vm-name',
  /** On a VirtualMachine: how far the BMC that its annotation asked for is (`Provisioned`, `Ongoing`, `Failed`). */
  bmcState: 'bmc.kubevirt.io/state',
  /** On an IPLease: the IPPool that it belongs to. */
  ipPool: 'network.harvesterhci.io/ippool',
  name: 'app.kubernetes.io/name',
  component: 'app.kubernetes.io/component',
  managedBy: 'app.kubernetes.io/managed-by',
} as const;

export const ANNOTATIONS = {
  /** On a VirtualMachine: `"true"` asks for a BMC, `"false"` opts out of automatic provisioning. */
  bmcEnabled: 'bmc.kubevirt.io/enabled',
} as const;

/** On a VirtualMachineBMC until the manager has restored the VM's boot order. */
export const BMC_FINALIZER = 'bmc.kubevirt.io/finalizer';

/** Labels on everything that the manager makes for one BMC. */
export function agentLabels(bmcName: string, vmName: string): Record<string, string> {
  return {
    [LABELS.bmc]: labelValue(bmcName),
    [LABELS.virtualMachine]: labelValue(vmName),
    [LABELS.name]: 'groundcrew',
    [LABELS.component]: 'bmc-agent',
    [LABELS.managedBy]: 'groundcrew',
  };
}
