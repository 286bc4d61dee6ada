import { createHash } from 'node:crypto';

const DNS_1035_LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_LENGTH = 63;
const AGENT_SUFFIX = '-virtbmc';

/**
 * Name of the Deployment, Service, ServiceAccount, Role and RoleBinding of a VM's BMC: `<vm>-virtbmc`, the name that
 * KubeVirtBMC's clients hold on to. A VM name that makes no Service name of it (not a DNS-1035 label, or over 55
 * characters) gives `vm-<hash8>-virtbmc`.
 */
export function agentName(vmName: string): string {
  const name = `${vmName}${AGENT_SUFFIX}`;
  return name.length <= LABEL_LENGTH && DNS_1035_LABEL.test(name) ? name : `vm-${hash8(vmName)}${AGENT_SUFFIX}`;
}

/** Name of the Secret that the manager makes for a BMC whose `spec.authSecretRef` is absent. */
export function credentialsSecretName(bmcName: string): string {
  return `${bmcName}-credentials`;
}

/** Name of the Secret in which a BMC keeps what clients change: added accounts and settings. */
export function stateSecretName(bmcName: string): string {
  return `${bmcName}-state`;
}

/** Name of the Secret, of type kubernetes.io/tls, with the certificate that a BMC shows over HTTPS. */
export function certificateSecretName(bmcName: string): string {
  return `${bmcName}-tls`;
}

/**
 * Names of the DataVolumes, and of their claims, with the image that a client inserted into a BMC's drive `Cd`. There are two, since one that
 * was ejected lives as long as the guest that was booted with it.
 */
export function mediaVolumeNames(bmcName: string): readonly [string, string] {
  return [`${bmcName}-cd`, `${bmcName}-cd-2`];
}

/** Name of the Secret with what the image server wants to know, while an image is imported. */
export function mediaSecretName(bmcName: string): string {
  return `${bmcName}-cd-login`;
}

/** Name of the ConfigMap that holds a BMC's event log. */
export function eventLogName(bmcName: string): string {
  return `${bmcName}-sel`;
}

/** A label value that stands for an object name: the name itself, or where that is too long its beginning and a hash. */
export function labelValue(name: string): string {
  return name.length <= LABEL_LENGTH ? name : `${name.slice(0, LABEL_LENGTH - 9)}-${hash8(name)}`;
}

/** The name of a lease is its address, so the API server gives no address twice. */
export function leaseName(poolName: string, ipAddress: string): string {
  return `${poolName}.${ipAddress}`;
}

/**
 * A network as it is named everywhere inside: `namespace/name` of its net-attach-def.
 *
 * @param namespace of the object that names it, where the name has none
 */
export function networkKey(networkName: string, namespace: string): string {
  return networkName.includes('/') ? networkName : `${namespace}/${networkName}`;
}

/** The value of the label that stands for a network: `<namespace>.<name>`, shortened with a hash where it is too long. */
export function networkLabel(key: string): string {
  return labelValue(key.replace('/', '.'));
}

/**
 * Name of what the manager makes for one DHCP agent of a network (Deployment, ServiceAccount, derived net-attach-def):
 * `<network>-dhcp-<index>`, where the index is that of the agent's address in `serverIPs`. A network whose name is no DNS
 * label of that length (a dot in it, or too long) gives its beginning and a hash, so that `a.b` is not `a-b`.
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
