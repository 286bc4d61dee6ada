import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { SYSTEM_EVENT_LOGGING } from './global-enables.ts';

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
      throw new CompletionError(COMPLETION.invalidField, 'system event logging is on, and nothing else can be');
    }
    return Buffer.alloc(0);
  },
};
