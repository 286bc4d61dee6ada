import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';

/** Result code "no error" without detail. */
const NO_ERROR = [0x55, 0x00];

/** Get Self Test Results, IPMI 2.0 §20.4. Always "no error": there is no hardware that can fail. */
export const getSelfTestResults: SessionCommand = {
  name: 'Get Self Test Results',
  netFn: NET_FN.app,
  command: 0x04,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: () => Buffer.from(NO_ERROR),
};

/** Bit of the BMC global enables, IPMI 2.0 §22.1: event log. There is no system interface with interrupts or buffers. */
const SYSTEM_EVENT_LOGGING = 0x08;

/** Get BMC Global Enables, IPMI 2.0 §22.2. */
export const getBmcGlobalEnables: SessionCommand = {
  name: 'Get BMC Global Enables',
  netFn: NET_FN.app,
  command: 0x2f,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: () => Buffer.of(SYSTEM_EVENT_LOGGING),
};

/** Bit 4 is reserved. */
const ENABLES_MASK = 0xef;

/** Set BMC Global Enables, IPMI 2.0 §22.1. The log cannot be disabled, and other features cannot be enabled. */
export const setBmcGlobalEnables: SessionCommand = {
  name: 'Set BMC Global Enables',
  netFn: NET_FN.app,
  command: 0x2e,
  privilege: PRIVILEGE.administrator,
  requestLength: [1, 1],
  repeatable: true,
  handle: (request) => {
    if ((request.readUInt8(0) & ENABLES_MASK) !== SYSTEM_EVENT_LOGGING) {
      throw new CompletionError(
        COMPLETION.invalidField,
        'only system event logging can be enabled, and it cannot be disabled',
      );
    }
  },
};
