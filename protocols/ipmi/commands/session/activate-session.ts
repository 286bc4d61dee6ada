import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';

/**
 * Activate Session, IPMI 2.0 §22.17, in a session that is active already. The one that opens a session of IPMI 1.5 is answered
 * where that log-in is, since its packet belongs to a challenge and not to a session.
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
