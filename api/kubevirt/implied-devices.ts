import type { Disk, Interface, VirtualMachineInstanceSpec } from './virtual-machine.ts';

/** How KubeVirt connects a guest without interfaces and networks to the pod network; set in KubeVirt's configuration. */
export type PodBinding = 'bridge' | 'masquerade';

/** Name of that interface, and of its network. */
export const POD_INTERFACE = 'default';

/** The disks that KubeVirt adds to a guest: one for each volume without a disk or file system of its name (`SetDefaultVolumeDisk`). */
export function impliedDisks({ domain, volumes = [] }: VirtualMachineInstanceSpec): Disk[] {
  const { disks = [], filesystems = [] } = domain.devices;
  const named = new Set([...disks, ...filesystems].map(({ name }) => name));
  return volumes.filter(({ name }) => !named.has(name)).map(({ name }) => ({ name }));
}

/** Whether KubeVirt adds an interface to a guest (`SetDefaultNetworkInterface`). */
export function impliesInterface({ domain, networks = [] }: VirtualMachineInstanceSpec): boolean {
  const { interfaces = [], autoattachPodInterface } = domain.devices;
  return autoattachPodInterface !== false && networks.length === 0 && interfaces.length === 0;
}

/** A VM's template with the devices that KubeVirt adds to the VMI; a VMI is returned unchanged. */
export function withImpliedDevices(
  guest: VirtualMachineInstanceSpec,
  binding?: PodBinding,
): VirtualMachineInstanceSpec {
  const added = impliedDisks(guest);
  const isConnected = impliesInterface(guest);
  if (added.length === 0 && !isConnected) return guest;
  const { devices } = guest.domain;
  const nic: Interface = { name: POD_INTERFACE, ...(binding !== undefined && { [binding]: {} }) };
  return {
    ...guest,
    ...(isConnected && { networks: [{ name: POD_INTERFACE, pod: {} }] }),
    domain: {
      ...guest.domain,
      devices: {
        ...devices,
        disks: [...(devices.disks ?? []), ...added],
        ...(isConnected && { interfaces: [nic] }),
      },
    },
  };
}

/** The binding of the interface that KubeVirt added to a VMI; undefined: it added none. */
export function podBindingOf({ domain, networks = [] }: VirtualMachineInstanceSpec): PodBinding | undefined {
  const isOnPods = networks.some(({ name, pod }) => name === POD_INTERFACE && pod !== undefined);
  const nic = domain.devices.interfaces?.find(({ name }) => name === POD_INTERFACE);
  if (!isOnPods || nic === undefined || domain.devices.autoattachPodInterface === false) return undefined;
  if (nic.masquerade !== undefined) return 'masquerade';
  return nic.bridge === undefined ? undefined : 'bridge';
}
