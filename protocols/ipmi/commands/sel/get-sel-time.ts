import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { SelView } from './sel-view.ts';

/** Get SEL Time, IPMI 2.0 §31.10: seconds since 1970. */
export const getSelTime: SessionCommand = {
  name: 'Get SEL Time',
  netFn: NET_FN.storage,
  command: 0x48,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) => {
    const data = Buffer.alloc(4);
    data.writeUInt32LE(new SelView(bmc).now, 0);
    return data;
  },
};
