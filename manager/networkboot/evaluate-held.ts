import {
  networkKey,
  type BootOverrideStatus,
  type Interface,
  type Network,
  type VirtualMachine,
} from '../../api/index.ts';

/** What a network boot that is to be the only one is held by. */
export interface Holders {
  /** Whether a network, as `namespace/name` of its net-attach-def, has a pool. */
  hasPool: (network: string) => boolean;
  /** Whether there is a lease for that interface of the VM. */
  hasLease: (interfaceName: string) => boolean;
}

/**
 * The interfaces that a one-time override puts before every disk, and that nobody holds to one boot: DHCP there is not
 * ours, and goes on giving boot files when the guest reboots by itself. Not among them are those on the pods' network, where
 * KubeVirt answers DHCP itself, and gives no boot file unless the interface names one. In the order in which they are tried.
 */
export function notHeld(vm: VirtualMachine, override: BootOverrideStatus | undefined, holders: Holders): string[] {
  if (override?.mode !== 'Oneshot' || !isOfNetwork(override) || override.vmUID !== vm.metadata.uid) return [];
  const { domain, networks = [] } = vm.spec.template.spec;
  const tried = new Set(triedBeforeDisks(override.overrideOrders));
  const interfaces = new Map((domain.devices.interfaces ?? []).map((nic) => [nic.name, nic]));
  return [...tried].filter((name) => {
    const nic = interfaces.get(name);
    const network = networks.find((each) => each.name === name);
    if (nic === undefined || network === undefined || holders.hasLease(name)) return false;
    return mayBoot(nic, network) && !isOnPool(network, vm, holders);
  });
}

/**
 * Whether an override names what to boot over HTTP, and no DHCP server of ours answers any interface that is tried before every disk: then
 * nobody tells the firmware.
 */
export function isUntold(vm: VirtualMachine, override: BootOverrideStatus | undefined, holders: Holders): boolean {
  if (override?.target !== 'UefiHttp' || override.uri === undefined || override.vmUID !== vm.metadata.uid) return false;
  const { networks = [] } = vm.spec.template.spec;
  return !triedBeforeDisks(override.overrideOrders).some((name) => {
    const network = networks.find((each) => each.name === name);
    return holders.hasLease(name) || (network !== undefined && isOnPool(network, vm, holders));
  });
}

function isOfNetwork({ target }: BootOverrideStatus): boolean {
  return target === 'Pxe' || target === 'UefiHttp';
}

/** Whether somebody may give boot files there. */
function mayBoot({ dhcpOptions }: Interface, { multus }: Network): boolean {
  return multus !== undefined || (dhcpOptions?.bootFileName ?? '') !== '';
}

function isOnPool({ multus }: Network, { metadata }: VirtualMachine, { hasPool }: Holders): boolean {
  // Without a namespace KubeVirt means the machine's own.
  return multus !== undefined && hasPool(networkKey(multus.networkName, metadata.namespace ?? ''));
}

/** Names of interfaces. */
function triedBeforeDisks(orders: Readonly<Record<string, number>> = {}): string[] {
  const sequence = Object.entries(orders)
    .filter(([, order]) => order > 0)
    .toSorted(([, a], [, b]) => a - b)
    .map(([key]) => key);
  const disk = sequence.findIndex((key) => !key.startsWith(INTERFACE));
  return sequence.slice(0, disk < 0 ? undefined : disk).map((key) => key.slice(INTERFACE.length));
}

const INTERFACE = 'interface:';
