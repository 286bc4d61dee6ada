import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { freeUnits, UNIT_LENGTH } from './allocation.ts';

/** Get SEL Allocation Info, IPMI 2.0 §31.3. A unit holds all records of one entry, at least one. */
export const getSelAllocationInfo: SessionCommand = {
  name: 'Get SEL Allocation Info',
  netFn: NET_FN.storage,
  command: 0x41,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) => {
    const { log } = bmc.machine;
    const free = Math.min(freeUnits(log), 0xffff);
    const data = Buffer.alloc(9);
    data.writeUInt16LE(Math.min(log.capacity, 0xffff), 0);
    data.writeUInt16LE(UNIT_LENGTH, 2);
    data.writeUInt16LE(free, 4);
    data.writeUInt16LE(free, 6);
    data.writeUInt8(1, 8);
    return data;
  },
};
