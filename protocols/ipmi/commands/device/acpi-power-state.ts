import { MachineError, type Machine } from '../../../machine/index.ts';

/** ACPI power states by number, IPMI 2.0 tables 20-7 and 20-8. */
const S0_WORKING = 0x00;
/** The processors are stopped and keep their state. */
const S1_SLEEPING = 0x01;
const S5_SOFT_OFF = 0x05;
const D0 = 0x00;
const D3 = 0x03;
const UNKNOWN = 0x2a;

export interface AcpiPowerState {
  system: number;
  device: number;
}

/** The ACPI state of the machine: S5 without power; a starting machine has no power yet. */
export function acpiPowerState(machine: Machine): AcpiPowerState {
  try {
    const state = machine.powerState();
    const isOff = state === 'Off' || state === 'PoweringOn';
    if (isOff) return { system: S5_SOFT_OFF, device: D3 };
    return { system: state === 'Paused' ? S1_SLEEPING : S0_WORKING, device: D0 };
  } catch (error) {
    if (!(error instanceof MachineError)) throw error;
    return { system: UNKNOWN, device: UNKNOWN };
  }
}
