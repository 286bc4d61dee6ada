import { createHash } from 'node:crypto';

const DNS_1035_LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_LENGTH = 63;
const AGENT_SUFFIX = '-virtbmc';

/**
 * Name of the Deployment, Service, ServiceAccount, Role and RoleBinding of a VM's BMC: `<vm>-virtbmc`, as in KubeVirtBMC. For a VM
 * name that is not a DNS-1035 label or has more than 55 characters: `vm-<hash8>-virtbmc`.
 */
export function agentName(vmName: string): string {
  const name = `${vmName}${AGENT_SUFFIX}`;
  return name.length <= LABEL_LENGTH && DNS_1035_LABEL.test(name) ? name : `vm-${hash8(vmName)}${AGENT_SUFFIX}`;
}

/** Name of the Secret that the manager creates for a BMC without `spec.authSecretRef`. */
export function credentialsSecretName(bmcName: string): string {
  return `${bmcName}-credentials`;
}

/** Name of the Secret with the data that clients change: accounts and settings. */
export function stateSecretName(bmcName: string): string {
  return `${bmcName}-state`;
}

/** Name of the Secret, of type kubernetes.io/tls, with a BMC's HTTPS certificate. */
export function certificateSecretName(bmcName: string): string {
  return `${bmcName}-tls`;
}

/** The drives of a BMC for images: a CD-ROM drive and a USB stick. */
export const MEDIA_SLOTS = ['Cd', 'Usb'] as const;

export type MediaSlot = (typeof MEDIA_SLOTS)[number];

/**
 * Names of the DataVolumes, and of their claims, with the image in a BMC's drive: `<bmc>-cd`, `<bmc>-usb`. There are two, since an
 * ejected image is kept as long as the guest that was booted with it.
 */
export function mediaVolumeNames(bmcName: string, slot: MediaSlot): readonly [string, string] {
  const name = `${bmcName}-${slot.toLowerCase()}`;
  return [name, `${name}-2`];
}

/** Name of the Secret with the credentials for the image server during an import. */
export function mediaSecretName(bmcName: string, slot: MediaSlot): string {
  return `${bmcName}-${slot.toLowerCase()}-login`;
}

/** Name of the ConfigMap that holds a BMC's event log. */
export function eventLogName(bmcName: string): string {
  return `${bmcName}-sel`;
}

/** A label value for an object name: the name, or its beginning and a hash if it is too long. */
export function labelValue(name: string): string {
  return name.length <= LABEL_LENGTH ? name : `${name.slice(0, LABEL_LENGTH - 9)}-${hash8(name)}`;
}

/** The name of a lease contains its address, so the API server refuses a second lease of it. */
export function leaseName(poolName: string, ipAddress: string): string {
  return `${poolName}.${ipAddress}`;
}

/**
 * Internal name of a network: `namespace/name` of its net-attach-def.
 *
 * @param namespace of the object with the name; used if the name has none
 */
export function networkKey(networkName: string, namespace: string): string {
  return networkName.includes('/') ? networkName : `${namespace}/${networkName}`;
}

/** Whether a network (`namespace/name`) belongs to the namespace. */
export function isNetworkOf(network: string, namespace: string): boolean {
  return network.startsWith(`${namespace}/`);
}

/** Label value of a network: `<namespace>.<name>`, shortened with a hash if it is too long. */
export function networkLabel(key: string): string {
  return labelValue(key.replace('/', '.'));
}

/**
 * Name of the objects of one DHCP agent of a network (Deployment, ServiceAccount, derived net-attach-def): `<network>-dhcp-<index>`
 * with the index of the agent's address in `serverIPs`. A name with a dot, or one that is too long, is replaced by its beginning and
 * a hash, so that `a.b` and `a-b` differ.
 */
export function dhcpAgentName(network: string, index: number): string {
  const suffix = `-dhcp-${index}`;
  const room = LABEL_LENGTH - suffix.length;
  const isLabel = network.length <= room && !network.includes('.');
  return (isLabel ? network : `${network.slice(0, room - 9).replaceAll('.', '-')}-${hash8(network)}`) + suffix;
}

function hash8(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

/** Labels of the manager's objects; the first two are KubeVirtBMC's. */
export const LABELS = {
  bmc: 'kubevirt.io/virtualmachinebmc-name',
  virtualMachine: 'kubevirt.io/vm-name',
  /** On the objects and pods of a shared agent: its name. */
  sharedAgent: 'bmc.kubevirt.io/shared-agent',
  /** On the pod of a shared agent that acts, `true`: the Services of its BMCs select it. The agent writes it. */
  acting: 'bmc.kubevirt.io/acting',
  /** On a VirtualMachine: state of the BMC that its annotation requests (`Provisioned`, `Ongoing`, `Failed`). */
  bmcState: 'bmc.kubevirt.io/state',
  /** On an IPLease: its IPPool. */
  ipPool: 'network.harvesterhci.io/ippool',
  /** On an IPLease and on DHCP agents: the network, as `networkLabel` formats it. */
  network: 'network.harvesterhci.io/network',
  /** On an IPLease that agents no longer serve and whose address is still reserved: `true`. */
  released: 'network.harvesterhci.io/released',
  /** On an IPLease of a deleted VM that is kept for a VM of the same name: `true`. */
  retained: 'network.harvesterhci.io/retained',
  /** On DHCP agents, `agent`: as in vm-dhcp-controller. */
  dhcpAgent: 'network.harvesterhci.io/vm-dhcp-controller',
  name: 'app.kubernetes.io/name',
  component: 'app.kubernetes.io/component',
  managedBy: 'app.kubernetes.io/managed-by',
} as const;

export const ANNOTATIONS = {
  /** On a VirtualMachine: `"true"` requests a BMC, `"false"` opts out of automatic provisioning. */
  bmcEnabled: 'bmc.kubevirt.io/enabled',
  /** On a Namespace: placement of its BMCs that do not say, `Dedicated` or `Shared`. */
  placement: 'bmc.kubevirt.io/placement',
  /** On the StatefulSet of a shared agent: the most BMCs that a manager gives it. */
  sharedAgentCapacity: 'bmc.kubevirt.io/shared-agent-capacity',
  /** On a VirtualMachineBMC that the manager made for its VM: `annotation`, or `autoProvision` for that setting of the chart. */
  bmcRequestedBy: 'bmc.kubevirt.io/requested-by',
  /** On a VirtualMachine, followed by the name of an interface: the address of the interface. */
  staticIpPrefix: 'static-ip.harvesterhci.io/',
  /** On a VirtualMachine: a JSON object of MAC addresses by interface, written by Harvester. */
  harvesterMac: 'harvesterhci.io/mac-address',
  /** On an Event: the ID of the client's request that caused it, as in the agent's log. */
  request: 'bmc.kubevirt.io/request',
  /** On a released IPLease: the time of the release, RFC 3339. */
  releasedAt: 'network.harvesterhci.io/released-at',
} as const;

/** State of a BMC that a VirtualMachine requests. `Ongoing`: it is made or does not answer. `Failed`: a user has to act. */
export type BMCState = 'Provisioned' | 'Ongoing' | 'Failed';

/** On a VirtualMachineBMC until the manager has restored the VM's boot order. */
export const BMC_FINALIZER = 'bmc.kubevirt.io/finalizer';

/** On a VirtualMachineNetworkConfig until the manager has released its leases. */
export const NETWORK_CONFIG_FINALIZER = 'network.harvesterhci.io/leases';

/** Labels of all objects that the manager creates for one BMC. */
export function agentLabels(bmcName: string, vmName: string): Record<string, string> {
  return {
    [LABELS.bmc]: labelValue(bmcName),
    [LABELS.virtualMachine]: labelValue(vmName),
    [LABELS.name]: 'groundcrew',
    [LABELS.component]: 'bmc-agent',
    [LABELS.managedBy]: 'groundcrew',
  };
}
