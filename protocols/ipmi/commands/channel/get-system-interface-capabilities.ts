import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';

/** Get System Interface Capabilities, IPMI 2.0 §22.9: a VM has no system interface to its BMC. */
export const getSystemInterfaceCapabilities: SessionCommand = {
  name: 'Get System Interface Capabilities',
  netFn: NET_FN.app,
  command: 0x57,
  privilege: PRIVILEGE.user,
  requestLength: [1, 1],
  repeatable: true,
  handle: () => {
    throw new CompletionError(COMPLETION.invalidField, 'there is no system interface');
  },
};
