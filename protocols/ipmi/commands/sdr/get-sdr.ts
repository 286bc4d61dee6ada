import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { readPart } from '../read-part.ts';
import { repositoryStamp, sdrRecords } from './sdr-repository.ts';

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
    if (offset !== 0 && !bmc.reservations.sdr.holds(request.readUInt16LE(0), repositoryStamp(records))) {
      throw new CompletionError(COMPLETION.reservationCancelled, 'reservation of the SDR repository');
    }
    const number = id === FIRST_RECORD ? 1 : id === LAST_RECORD ? records.length : id;
    const record = records[number - 1];
    if (record === undefined) throw new CompletionError(COMPLETION.notPresent, `no record ${id}`);
    const next = Buffer.alloc(2);
    next.writeUInt16LE(number === records.length ? LAST_RECORD : number + 1, 0);
    return Buffer.concat([next, readPart(record, offset, request.readUInt8(5))]);
  },
};
