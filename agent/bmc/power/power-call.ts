/** One write that changes a VM's power, as KubeVirt takes it. */
export type PowerCall =
  | { subresource: 'start' }
  /** `gracePeriod` 0: cut the power; absent: ACPI shutdown, and killed after the VM's own grace period. */
  | { subresource: 'stop'; gracePeriod?: 0 }
  /** A VMI made from the VM's template as it is now; without grace, as KubeVirt takes no other number. */
  | { subresource: 'restart'; gracePeriodSeconds: 0 }
  /** The reset button: same VMI, same domain XML. KubeVirt ≥ 1.5. */
  | { subresource: 'reset' }
  /** Asks the guest's agent to reboot, or presses the ACPI power button and resets in place of the power-off that follows; same VMI. */
  | { subresource: 'softreboot' }
  /** Holds the guest's processors, and lets them go on. */
  | { subresource: 'pause' | 'unpause' }
  /** What start and stop write for Always and Halted VMs, in states in which they refuse to. */
  | { runStrategy: 'Always' | 'Halted' };

/**
 * What is to be done for a power action.
 *
 * - `nothing`: the machine is in the state that was asked for, or on the way to it.
 * - `call`: that one call.
 * - `power on after`: `stop` first where it is given; then, when the VMI of that uid has ended, power on.
 * - `refuse`: it cannot be done; why, for the one who asked.
 */
export type PowerDecision =
  | { do: 'nothing' }
  | { do: 'call'; call: PowerCall }
  | { do: 'power on after'; uid: string; stop?: PowerCall }
  | { do: 'refuse'; code: 'Busy' | 'InvalidState' | 'NotSupported' | 'Unavailable'; message: string };
