import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { refreshed } from '../refreshed.ts';
import { acpiPowerState } from './acpi-power-state.ts';

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
      return Buffer.alloc(0);
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
