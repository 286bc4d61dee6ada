import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { SYSTEM_EVENT_LOGGING } from './global-enables.ts';

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
