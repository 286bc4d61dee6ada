import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import { BMC_ADDRESS } from '../../message/lan-message.ts';
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

/** Disable standby, diagnostic interrupt, reset, power off. */
const DISABLE_MASK = 0x0f;

/** Set Front Panel Enables, IPMI 2.0 §28.6. A VM has no buttons, so only "none disabled" is accepted. */
export const setFrontPanelEnables: SessionCommand = {
  name: 'Set Front Panel Enables',
  netFn: NET_FN.chassis,
  command: 0x0a,
  privilege: PRIVILEGE.administrator,
  requestLength: [1, 1],
  repeatable: true,
  handle: (request) => {
    if ((request.readUInt8(0) & DISABLE_MASK) !== 0) {
      throw new CompletionError(COMPLETION.invalidField, 'there are no buttons to disable');
    }
  },
};

/**
 * Set Power Cycle Interval, IPMI 2.0 §28.9. Only 0 is accepted: a power cycle is one request to the hypervisor, which powers the machine on as
 * soon as it is off. A longer interval would have to survive this process.
 */
export const setPowerCycleInterval: SessionCommand = {
  name: 'Set Power Cycle Interval',
  netFn: NET_FN.chassis,
  command: 0x0b,
  privilege: PRIVILEGE.administrator,
  requestLength: [1, 1],
  repeatable: true,
  handle: (request) => {
    if (request.readUInt8(0) !== 0) {
      throw new CompletionError(COMPLETION.outOfRange, 'the power cycle interval must be 0');
    }
  },
};
