import type { InstanceStatus, InterfaceStatus, VirtualMachineInstance } from '../kubevirt/objects.ts';

/** Annotation of a VM's template: `true` simulates a qemu-guest-agent. */
const GUEST_AGENT = 'sandbox.kubevirt.io/guest-agent';

const OS = {
  id: 'fedora',
  name: 'Fedora Linux',
  prettyName: 'Fedora Linux 42 (Cloud Edition)',
  version: '42 (Cloud Edition)',
  versionId: '42',
  kernelRelease: '6.14.0-63.fc42.x86_64',
  kernelVersion: '#1 SMP PREEMPT_DYNAMIC',
  machine: 'x86_64',
} as const;

export function hasAgent({ metadata }: VirtualMachineInstance): boolean {
  return metadata.annotations?.[GUEST_AGENT] === 'true';
}

/**
 * The agent's part of an instance's status.
 *
 * @param addresses from DHCP servers, by interface; undefined for an interface without address
 */
export function agentStatus(
  interfaces: readonly InterfaceStatus[] = [],
  addresses: ReadonlyMap<string, string | undefined> = new Map(),
): Pick<InstanceStatus, 'guestOSInfo' | 'interfaces'> {
  return {
    guestOSInfo: OS,
    interfaces: interfaces.map((status, index) => ({
      ...(addresses.has(status.name) ? withAddress(status, addresses.get(status.name)) : status),
      interfaceName: `eth${index}`,
      infoSource: status.infoSource.includes('multus-status')
        ? 'domain, guest-agent, multus-status'
        : 'domain, guest-agent',
    })),
  };
}

function withAddress(
  { ipAddress: _address, ipAddresses: _addresses, ...status }: InterfaceStatus,
  address: string | undefined,
): InterfaceStatus {
  return address === undefined ? status : { ...status, ipAddress: address, ipAddresses: [address] };
}

/** The answer of `guestosinfo` (VirtualMachineInstanceGuestAgentInfo). */
export function guestAgentInfo({ metadata }: VirtualMachineInstance): object {
  return {
    guestAgentVersion: '9.2.0',
    supportedCommands: [
      'guest-info',
      'guest-ping',
      'guest-shutdown',
      'guest-fsfreeze-freeze',
      'guest-fsfreeze-thaw',
    ].map((name) => ({ name, enabled: true })),
    hostname: metadata.name,
    os: OS,
    timezone: 'UTC, 0',
    userList: [],
    fsInfo: { disks: [] },
    fsFreezeStatus: 'thawed',
  };
}

/** Times of a simulated guest, milliseconds. */
export interface GuestTimes {
  /** From the instance's creation to Running. */
  bootTime: number;
  /** From the ACPI power button to power off; the grace period cuts it short. */
  shutdownTime: number;
}

/** Annotations of a VM's template: the times of its guest, milliseconds. */
const BOOT_TIME = 'sandbox.kubevirt.io/boot-time';
const SHUTDOWN_TIME = 'sandbox.kubevirt.io/shutdown-time';

/** The times of one guest; invalid annotations are ignored. */
export function timesOf({ metadata: { annotations = {} } }: VirtualMachineInstance, standard: GuestTimes): GuestTimes {
  const read = (name: string, otherwise: number): number => {
    const text = annotations[name] ?? '';
    return /^\d+$/.test(text) ? Number(text) : otherwise;
  };
  return {
    bootTime: read(BOOT_TIME, standard.bootTime),
    shutdownTime: read(SHUTDOWN_TIME, standard.shutdownTime),
  };
}
