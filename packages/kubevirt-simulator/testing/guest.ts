import { Guest, machineOf, silentNetwork, type GuestOptions } from '../guest/index.ts';
import type { VirtualMachineInstance } from '../kubevirt/objects.ts';

/** Milliseconds that the guests of tests take. */
export const BOOT_TIME = 1000;
export const SHUTDOWN_TIME = 100;

/** A guest of the instance, powered on at 0. */
export function aGuest(vmi: VirtualMachineInstance, options: Partial<GuestOptions> = {}): Guest {
  const machine = machineOf(vmi);
  return new Guest(
    { machine, network: silentNetwork, bootTime: BOOT_TIME, shutdownTime: SHUTDOWN_TIME, ...options },
    0,
  );
}

/** What a guest writes from power on to the login prompt, or until nothing more can be booted. */
export function bootLog(vmi: VirtualMachineInstance, options: Partial<GuestOptions> = {}): string {
  return aGuest(vmi, options).read(BOOT_TIME).text;
}
