import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { recordIdOf } from '../sel/record-id.ts';
import { SelView } from '../sel/sel-view.ts';

const NONE = 0xffff;

/** Get Last Processed Event ID, IPMI 2.0 §30.6: the last logged event; none is processed. */
export const getLastProcessedEventId: SessionCommand = {
  name: 'Get Last Processed Event ID',
  netFn: NET_FN.sensor,
  command: 0x15,
  privilege: PRIVILEGE.administrator,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) => {
    const { log } = bmc.machine;
    const last = log.entries().at(-1);
    const data = Buffer.alloc(10);
    data.writeUInt32LE(new SelView(bmc).stamp(log.lastAdded), 0);
    data.writeUInt16LE(last === undefined ? NONE : recordIdOf(last, 0), 4);
    data.writeUInt16LE(NONE, 6);
    data.writeUInt16LE(NONE, 8);
    return data;
  },
};
