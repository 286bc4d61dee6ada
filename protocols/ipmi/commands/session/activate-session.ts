import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';

/**
 * Activate Session, IPMI 2.0 §22.17, within an active session. The request that opens an IPMI 1.5 session is answered by `Login15`,
 * since its packet belongs to a challenge.
 */
export const activateSession: SessionCommand = {
  name: 'Activate Session',
  netFn: NET_FN.app,
  command: 0x3a,
  privilege: PRIVILEGE.callback,
  requestLength: [22, 22],
  repeatable: true,
  handle: () => {
    throw new CompletionError(COMPLETION.invalidState, 'this session is active');
  },
};
