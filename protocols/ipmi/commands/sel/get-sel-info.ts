import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { freeUnits, UNIT_LENGTH } from './allocation.ts';
import { recordCountOf } from './record-id.ts';
import { SelView } from './sel-view.ts';

/** IPMI 1.5 and 2.0 in BCD with swapped digits. */
const SEL_VERSION = 0x51;
const SUPPORT = { allocationInfo: 0x01, reserve: 0x02, delete: 0x08, overflow: 0x80 };

/** Get SEL Info, IPMI 2.0 §31.2: number of records, free space, time of the last change. */
export const getSelInfo: SessionCommand = {
  name: 'Get SEL Info',
  netFn: NET_FN.storage,
  command: 0x40,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) => {
    const { log } = bmc.machine;
    const view = new SelView(bmc);
    const data = Buffer.alloc(14);
    data.writeUInt8(SEL_VERSION, 0);
    data.writeUInt16LE(Math.min(recordCountOf(log.entries()), 0xffff), 1);
    data.writeUInt16LE(Math.min(freeUnits(log) * UNIT_LENGTH, 0xffff), 3);
    data.writeUInt32LE(view.stamp(log.lastAdded), 5);
    data.writeUInt32LE(view.stamp(log.lastErased), 9);
    const overflow = log.hasOverflowed ? SUPPORT.overflow : 0;
    data.writeUInt8(SUPPORT.allocationInfo | SUPPORT.reserve | SUPPORT.delete | overflow, 13);
    return data;
  },
};
