import type { EventLog } from '../../../machine/index.ts';
import { NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';
import type { RecordIds } from './record-id.ts';
import { RECORD_LENGTH } from './sel-record.ts';
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
    const { recordIds, machine } = bmc;
    const { log } = machine;
    const view = new SelView(bmc);
    const data = Buffer.alloc(14);
    data.writeUInt8(SEL_VERSION, 0);
    data.writeUInt16LE(Math.min(recordIds.countOf(log.entries()), 0xffff), 1);
    data.writeUInt16LE(Math.min(freeUnits(log) * unitLength(recordIds), 0xffff), 3);
    data.writeUInt32LE(view.stamp(log.lastAdded), 5);
    data.writeUInt32LE(view.stamp(log.lastErased), 9);
    const overflow = log.hasOverflowed ? SUPPORT.overflow : 0;
    data.writeUInt8(SUPPORT.allocationInfo | SUPPORT.reserve | SUPPORT.delete | overflow, 13);
    return data;
  },
};

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
    data.writeUInt16LE(unitLength(bmc.recordIds), 2);
    data.writeUInt16LE(free, 4);
    data.writeUInt16LE(free, 6);
    data.writeUInt8(1, 8);
    return data;
  },
};

/** Bytes of the maximum number of records per log entry: the allocation unit. */
function unitLength({ parts }: RecordIds): number {
  return parts * RECORD_LENGTH;
}

/** Number of entries that fit before the oldest are removed. */
function freeUnits(log: EventLog): number {
  return Math.max(log.capacity - log.entries().length, 0);
}
