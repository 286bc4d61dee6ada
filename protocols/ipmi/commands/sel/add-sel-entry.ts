import { CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { recordIdOf } from './record-id.ts';
import { BODY_LENGTH, RECORD_LENGTH, RECORD_TYPE } from './sel-record.ts';

/** Completion code of this command: operation not supported for this record type. */
const RECORD_TYPE_NOT_SUPPORTED = 0x80;

/** Add SEL Entry, IPMI 2.0 §31.6. The BMC sets the record ID and, for types with a timestamp, the time. */
export const addSelEntry: SessionCommand = {
  name: 'Add SEL Entry',
  netFn: NET_FN.storage,
  command: 0x44,
  privilege: PRIVILEGE.operator,
  requestLength: [RECORD_LENGTH, RECORD_LENGTH],
  repeatable: false,
  handle: (request, { bmc, requester }) => {
    const type = request.readUInt8(2);
    if (type !== RECORD_TYPE.systemEvent && type < RECORD_TYPE.firstOem) {
      throw new CompletionError(RECORD_TYPE_NOT_SUPPORTED, `record type ${type}`);
    }
    const body = request.toString('hex', RECORD_LENGTH - BODY_LENGTH, RECORD_LENGTH);
    const entry = bmc.machine.log.append({ kind: 'Record', type, body, requester });
    const data = Buffer.alloc(2);
    data.writeUInt16LE(recordIdOf(entry, 0), 0);
    return data;
  },
};
