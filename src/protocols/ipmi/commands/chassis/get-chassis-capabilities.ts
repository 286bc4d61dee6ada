import { BMC_ADDRESS } from '../../message/lan-message.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';

/** Capabilities: a diagnostic interrupt can be asked for; neither front panel lock-out nor intrusion sensor. */
const DIAGNOSTIC_INTERRUPT = 0x04;

/** Get Chassis Capabilities, IPMI 2.0 §28.1: flags, then the addresses of FRU, SDR, SEL, management and bridge device. */
export const getChassisCapabilities: SessionCommand = {
  name: 'Get Chassis Capabilities',
  netFn: NET_FN.chassis,
  command: 0x00,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: () => Buffer.of(DIAGNOSTIC_INTERRUPT, BMC_ADDRESS, BMC_ADDRESS, BMC_ADDRESS, BMC_ADDRESS, BMC_ADDRESS),
};
