import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { SDR_VERSION } from './record-header.ts';
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
