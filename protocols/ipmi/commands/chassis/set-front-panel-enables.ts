import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';

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
      throw new CompletionError(COMPLETION.invalidField, 'there are no buttons that could be disabled');
    }
    return Buffer.alloc(0);
  },
};
