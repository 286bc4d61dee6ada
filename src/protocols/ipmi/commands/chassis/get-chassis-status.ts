import type { PowerState } from '../../../machine/index.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';

const POWER_IS_ON = 0x01;
/** Bits 6:5 of the first byte, both set: what happens after a power loss is not the chassis's to say. */
const RESTORE_POLICY_UNKNOWN = 0x60;

/** Get Chassis Status, IPMI 2.0 §28.2. */
export const getChassisStatus: SessionCommand = {
  name: 'Get Chassis Status',
  netFn: NET_FN.chassis,
  command: 0x01,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) => encodeChassisStatus(bmc.machine.powerState()),
};

/**
 * Power and restore policy, last power event, miscellaneous state, front panel buttons. IPMI knows on and off alone: a
 * machine is on while it holds its memory, so one that is coming up is off still and one that is going down is on.
 */
function encodeChassisStatus(state: PowerState): Buffer {
  const power = state === 'Off' || state === 'PoweringOn' ? 0 : POWER_IS_ON;
  return Buffer.of(power | RESTORE_POLICY_UNKNOWN, 0, 0, 0);
}
