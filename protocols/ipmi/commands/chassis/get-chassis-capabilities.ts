import { BMC_ADDRESS } from '../../message/lan-message.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';

/** No power interlock, no diagnostic interrupt, no front panel lockout, no intrusion sensor. */
const NO_CAPABILITIES = 0x00;

/** Get Chassis Capabilities, IPMI 2.0 §28.1: flags, then the addresses of FRU, SDR, SEL, management and bridge devices. */
export const getChassisCapabilities: SessionCommand = {
  name: 'Get Chassis Capabilities',
  netFn: NET_FN.chassis,
  command: 0x00,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: () => Buffer.of(NO_CAPABILITIES, BMC_ADDRESS, BMC_ADDRESS, BMC_ADDRESS, BMC_ADDRESS, BMC_ADDRESS),
};
