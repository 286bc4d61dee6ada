import { CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';
import { TIMER_LENGTH } from './watchdog-timer.ts';

/** Get Watchdog Timer, IPMI 2.0 §27.7. */
export const getWatchdogTimer: SessionCommand = {
  name: 'Get Watchdog Timer',
  netFn: NET_FN.app,
  command: 0x25,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc, now }) => bmc.watchdog.read(now),
};

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
  },
};

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
      throw new CompletionError(NEVER_SET, 'set the watchdog timer before starting it');
    }
  },
};
