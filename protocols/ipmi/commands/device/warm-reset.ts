import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';

/**
 * Warm Reset, IPMI 2.0 §20.3: ends other sessions and their pending operations. This session continues: after a warm reset, unlike
 * after a cold one, ipmitool closes it and expects an answer.
 */
export const warmReset: SessionCommand = {
  name: 'Warm Reset',
  netFn: NET_FN.app,
  command: 0x03,
  privilege: PRIVILEGE.administrator,
  requestLength: [0, 0],
  repeatable: false,
  handle: (_request, { bmc: { sessions }, session }) => {
    for (const other of sessions.active) if (other !== session) sessions.end(other, 'Invalidated');
    return Buffer.alloc(0);
  },
};
