import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';

/** Reserve SEL, IPMI 2.0 §31.4. */
export const reserveSel: SessionCommand = {
  name: 'Reserve SEL',
  netFn: NET_FN.storage,
  command: 0x42,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: false,
  handle: (_request, { bmc }) => {
    const data = Buffer.alloc(2);
    data.writeUInt16LE(bmc.reservations.sel.take(), 0);
    return data;
  },
};
