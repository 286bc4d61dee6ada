import { type Machine, MachineError } from '../../../machine/index.ts';
import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import { refreshed, type SessionCommand } from '../command.ts';

/** Get ACPI Power State, IPMI 2.0 §20.7: system and device state. */
export const getAcpiPowerState: SessionCommand = {
  name: 'Get ACPI Power State',
  netFn: NET_FN.app,
  command: 0x07,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) =>
    refreshed(bmc.machine, () => {
      const { system, device } = acpiPowerState(bmc.machine);
      return Buffer.of(system, device);
    }),
};

/** Bit 7 of each byte: set the state; otherwise the state is only validated. */
const SET = 0x80;
const STATE_MASK = 0x7f;
const NO_CHANGE = 0x7f;

const SYSTEM_STATES: ReadonlySet<number> = new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x0a, 0x20, 0x21, 0x2a, NO_CHANGE]);
const DEVICE_STATES: ReadonlySet<number> = new Set([0, 1, 2, 3, 0x2a, NO_CHANGE]);

/**
 * Set ACPI Power State, IPMI 2.0 §20.6, with which system software reports its state. This BMC observes the state itself: the observed
 * state is accepted without effect, others are rejected with 0xD5.
 */
export const setAcpiPowerState: SessionCommand = {
  name: 'Set ACPI Power State',
  netFn: NET_FN.app,
  command: 0x06,
  privilege: PRIVILEGE.administrator,
  requestLength: [2, 2],
  repeatable: true,
  handle: (request, { bmc }) =>
    refreshed(bmc.machine, () => {
      const current = acpiPowerState(bmc.machine);
      check(request.readUInt8(0), SYSTEM_STATES, current.system);
      check(request.readUInt8(1), DEVICE_STATES, current.device);
    }),
};

function check(byte: number, states: ReadonlySet<number>, current: number): void {
  const state = byte & STATE_MASK;
  if (!states.has(state)) throw new CompletionError(COMPLETION.invalidField, `ACPI power state ${state}`);
  if ((byte & SET) !== 0 && state !== NO_CHANGE && state !== current) {
    throw new CompletionError(
      COMPLETION.invalidState,
      `the ACPI power state is ${current}, and follows the machine's power`,
    );
  }
}

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
function acpiPowerState(machine: Machine): AcpiPowerState {
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
