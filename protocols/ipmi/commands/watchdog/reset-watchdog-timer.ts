import { CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';

const NEVER_SET = 0x80;

/** Reset Watchdog Timer, IPMI 2.0 §27.5: starts or restarts the countdown. */
export const resetWatchdogTimer: SessionCommand = {
  name: 'Reset Watchdog Timer',
  netFn: NET_FN.app,
  command: 0x22,
  privilege: PRIVILEGE.operator,
  requestLength: [0, 0],
  repeatable: true,
  handle: async (_request, { bmc, requester, now }) => {
    if (!(await bmc.watchdog.start(requester, now))) {
      throw new CompletionError(NEVER_SET, 'the watchdog timer has to be set before it is started');
    }
    return Buffer.alloc(0);
  },
};
