import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';

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
