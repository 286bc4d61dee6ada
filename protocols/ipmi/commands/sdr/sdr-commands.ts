import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import { uint16 } from '../../message/integers.ts';
import type { SessionCommand } from '../command.ts';
import { readPart } from '../reservation.ts';
import { getSelTime, setSelTime } from '../sel/sel-time.ts';
import { SDR_VERSION } from './sdr-record.ts';
import { repositoryStamp, sdrRecords } from './sdr-repository.ts';

const NO_ROOM = 0;
const SUPPORT = { allocationInfo: 0x01, reserve: 0x02 };

/** Get SDR Repository Info, IPMI 2.0 §33.9. Records cannot be erased, so both times are the time of the records. */
export const getSdrRepositoryInfo: SessionCommand = {
  name: 'Get SDR Repository Info',
  netFn: NET_FN.storage,
  command: 0x20,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) => {
    const records = sdrRecords(bmc.machine.sensors());
    const stamp = repositoryStamp(records);
    const data = Buffer.alloc(14);
    data.writeUInt8(SDR_VERSION, 0);
    data.writeUInt16LE(records.length, 1);
    data.writeUInt16LE(NO_ROOM, 3);
    data.writeUInt32LE(stamp, 5);
    data.writeUInt32LE(stamp, 9);
    data.writeUInt8(SUPPORT.allocationInfo | SUPPORT.reserve, 13);
    return data;
  },
};

/** Bytes per unit; no record is longer. */
const UNIT_LENGTH = 64;

/** Get SDR Repository Allocation Info, IPMI 2.0 §33.10: one unit per record, and none free, since records cannot be added. */
export const getSdrRepositoryAllocationInfo: SessionCommand = {
  name: 'Get SDR Repository Allocation Info',
  netFn: NET_FN.storage,
  command: 0x21,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) => {
    const data = Buffer.alloc(9);
    data.writeUInt16LE(sdrRecords(bmc.machine.sensors()).length, 0);
    data.writeUInt16LE(UNIT_LENGTH, 2);
    data.writeUInt8(1, 8);
    return data;
  },
};

/** Reserve SDR Repository, IPMI 2.0 §33.11. The reservation ends when the records change, so that parts of different records are not mixed. */
export const reserveSdrRepository: SessionCommand = {
  name: 'Reserve SDR Repository',
  netFn: NET_FN.storage,
  command: 0x22,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: false,
  handle: (_request, { bmc }) => {
    return uint16(bmc.reservations.sdr.take(repositoryStamp(sdrRecords(bmc.machine.sensors()))));
  },
};

/** IDs for the first and the last record; the latter is also the next ID after the last record. */
const FIRST_RECORD = 0x0000;
const LAST_RECORD = 0xffff;

/** Get SDR, IPMI 2.0 §33.12. An offset other than 0 requires a reservation. */
export const getSdr: SessionCommand = {
  name: 'Get SDR',
  netFn: NET_FN.storage,
  command: 0x23,
  privilege: PRIVILEGE.user,
  requestLength: [6, 6],
  repeatable: true,
  handle: (request, { bmc }) => {
    const id = request.readUInt16LE(2);
    const offset = request.readUInt8(4);
    const records = sdrRecords(bmc.machine.sensors());
    if (offset !== 0) bmc.reservations.sdr.require(request.readUInt16LE(0), repositoryStamp(records));
    const number = id === FIRST_RECORD ? 1 : id === LAST_RECORD ? records.length : id;
    const record = records[number - 1];
    if (record === undefined) throw new CompletionError(COMPLETION.notPresent, `no record ${id}`);
    return Buffer.concat([
      uint16(number === records.length ? LAST_RECORD : number + 1),
      readPart(record, offset, request.readUInt8(5)),
    ]);
  },
};

/** Get SDR Repository Time, IPMI 2.0 §33.17. The event log and the SDR repository have one clock. */
export const getSdrRepositoryTime: SessionCommand = {
  ...getSelTime,
  name: 'Get SDR Repository Time',
  command: 0x28,
};

/** Set SDR Repository Time, IPMI 2.0 §33.18: sets the clock of the event log, too. */
export const setSdrRepositoryTime: SessionCommand = {
  ...setSelTime,
  name: 'Set SDR Repository Time',
  command: 0x29,
};
