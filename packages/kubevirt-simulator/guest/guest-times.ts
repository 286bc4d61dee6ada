import type { VirtualMachineInstance } from '../kubevirt/objects.ts';

/** How the simulated guests behave; milliseconds. */
export interface GuestTimes {
  /** From the instance's creation to Running. */
  bootTime: number;
  /** From the ACPI power button to power off; the grace period cuts it short. */
  shutdownTime: number;
}

/** On a VM's template: milliseconds that its guest takes, in place of what all guests take. */
const BOOT_TIME = 'sandbox.kubevirt.io/boot-time';
const SHUTDOWN_TIME = 'sandbox.kubevirt.io/shutdown-time';

/** The times of one guest; what is not a number of milliseconds is passed over. */
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
