import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { sdrRecords } from './sdr-repository.ts';

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
