import type { PowerState } from '../../../machine/index.ts';
import { NET_FN, PRIVILEGE } from '../../message/codes.ts';
import { type Bmc, refreshed, type SessionCommand } from '../command.ts';
import { lastPowerOn } from './system-restart-cause.ts';
import { restorePolicyNumber } from './power-restore-policy.ts';

const POWER_IS_ON = 0x01;
const RESTORE_POLICY_SHIFT = 5;
/** Last power event: powered on by an IPMI command. */
const POWERED_ON_BY_COMMAND = 0x10;
/** Miscellaneous state: Chassis Identify is supported; its state is in bits 5:4. */
const IDENTIFY_SUPPORTED = 0x40;
const IDENTIFY_STATES = { Off: 0x00, Temporary: 0x10, Indefinite: 0x20 } as const;
/** A VM has no buttons to disable. */
const NO_FRONT_PANEL = 0x00;

/** Get Chassis Status, IPMI 2.0 §28.2: power and restore policy, last power event, miscellaneous state, front panel buttons. */
export const getChassisStatus: SessionCommand = {
  name: 'Get Chassis Status',
  netFn: NET_FN.chassis,
  command: 0x01,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc, now }) =>
    refreshed(bmc.machine, () =>
      Buffer.of(
        powerBits(bmc.machine.powerState()) |
          (restorePolicyNumber(bmc.machine.restorePolicy()) << RESTORE_POLICY_SHIFT),
        lastPowerEvent(bmc),
        IDENTIFY_SUPPORTED | IDENTIFY_STATES[bmc.identify.stateAt(now)],
        NO_FRONT_PANEL,
      ),
    ),
};

/** IPMI has only on and off: a machine is on while it keeps its memory, so a starting one is off and a stopping one is on. */
function powerBits(state: PowerState): number {
  return state === 'Off' || state === 'PoweringOn' ? 0 : POWER_IS_ON;
}

/** A VM has no power faults, overloads or interlocks. */
function lastPowerEvent({ machine }: Bmc): number {
  return lastPowerOn(machine.log.entries()) === 'Command' ? POWERED_ON_BY_COMMAND : 0;
}
