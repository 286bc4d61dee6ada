import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { TIMER_LENGTH } from './watchdog-timer.ts';

/** Set Watchdog Timer, IPMI 2.0 §27.6. Answers after the setting is stored, so that it survives the process. */
export const setWatchdogTimer: SessionCommand = {
  name: 'Set Watchdog Timer',
  netFn: NET_FN.app,
  command: 0x24,
  privilege: PRIVILEGE.operator,
  requestLength: [TIMER_LENGTH, TIMER_LENGTH],
  repeatable: false,
  handle: async (request, { bmc, requester, now }) => {
    await bmc.watchdog.set(request, requester, now);
    return Buffer.alloc(0);
  },
};
