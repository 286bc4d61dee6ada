import { labelValue } from './names.ts';

/** Labels of what the manager makes for a BMC; the first two are those that KubeVirtBMC's users select by. */
export const LABELS = {
  bmc: 'kubevirt.io/virtualmachinebmc-name',
  virtualMachine: 'kubevirt.io/vm-name',
  /** On a VirtualMachine: how far the BMC that its annotation asked for is (`Provisioned`, `Ongoing`, `Failed`). */
  bmcState: 'bmc.kubevirt.io/state',
  /** On an IPLease: the IPPool that it belongs to. */
  ipPool: 'network.harvesterhci.io/ippool',
  /** On an IPLease, and on DHCP agents: the network that it is of, as `networkLabel` writes it. */
  network: 'network.harvesterhci.io/network',
  /** On an IPLease that agents serve no more, and whose address is not free yet: `true`. */
  released: 'network.harvesterhci.io/released',
  /** On an IPLease that outlived its VM and waits for one of the same name: `true`. */
  retained: 'network.harvesterhci.io/retained',
  /** On DHCP agents, `agent`: the label by which vm-dhcp-controller's users find theirs. */
  dhcpAgent: 'network.harvesterhci.io/vm-dhcp-controller',
  name: 'app.kubernetes.io/name',
  component: 'app.kubernetes.io/component',
  managedBy: 'app.kubernetes.io/managed-by',
} as const;

export const ANNOTATIONS = {
  /** On a VirtualMachine: `"true"` asks for a BMC, `"false"` opts out of automatic provisioning. */
  bmcEnabled: 'bmc.kubevirt.io/enabled',
  /** On a VirtualMachine, followed by the name of an interface: the address that the interface is to have. */
  staticIpPrefix: 'static-ip.harvesterhci.io/',
  /** On a VirtualMachine: a JSON object of MAC addresses by interface, which Harvester writes. */
  harvesterMac: 'harvesterhci.io/mac-address',
  /** On an IPLease with the released label: when it was released, RFC 3339. */
  releasedAt: 'network.harvesterhci.io/released-at',
} as const;

/** On a VirtualMachineBMC until the manager has restored the VM's boot order. */
export const BMC_FINALIZER = 'bmc.kubevirt.io/finalizer';

/** On a VirtualMachineNetworkConfig until the manager has released its leases. */
export const NETWORK_CONFIG_FINALIZER = 'network.harvesterhci.io/leases';

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
