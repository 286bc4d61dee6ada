import {
  networkKey,
  type BootOverrideStatus,
  type Interface,
  type Network,
  type VirtualMachine,
} from '../../api/index.ts';

/** How a one-time network boot is enforced. */
export interface Holders {
  /** Whether a network (`namespace/name` of its net-attach-def) has a pool. */
  hasPool: (network: string) => boolean;
  /** Whether there is a lease for that interface of the VM. */
  hasLease: (interfaceName: string) => boolean;
}

/**
 * The interfaces of a one-time override, before every disk in the boot order, on which the boot cannot be limited to
 * one: another DHCP server answers there and provides boot files on each reboot. Interfaces on the pod network are
 * excluded: KubeVirt answers DHCP there, without a boot file unless the interface names one. In boot order.
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

/** Whether an override has a boot URI but our DHCP serves no interface before the disks, so the firmware never gets the URI. */
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

/** Whether a DHCP server may provide boot files there. */
function mayBoot({ dhcpOptions }: Interface, { multus }: Network): boolean {
  return multus !== undefined || (dhcpOptions?.bootFileName ?? '') !== '';
}

function isOnPool({ multus }: Network, { metadata }: VirtualMachine, { hasPool }: Holders): boolean {
  // Without a namespace KubeVirt uses the VM's namespace.
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
