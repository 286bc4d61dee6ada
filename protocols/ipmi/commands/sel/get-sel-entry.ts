import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { readPart, WHOLE } from '../read-part.ts';
import { RECORD_LENGTH } from './sel-record.ts';
import { SelView } from './sel-view.ts';

/** Get SEL Entry, IPMI 2.0 §31.5. Reading a record in parts requires a reservation, reading it as a whole does not. */
export const getSelEntry: SessionCommand = {
  name: 'Get SEL Entry',
  netFn: NET_FN.storage,
  command: 0x43,
  privilege: PRIVILEGE.user,
  requestLength: [6, 6],
  repeatable: true,
  handle: (request, { bmc }) => {
    const offset = request.readUInt8(4);
    const count = request.readUInt8(5);
    const isWhole = offset === 0 && (count === WHOLE || count === RECORD_LENGTH);
    if (!isWhole && !bmc.reservations.sel.holds(request.readUInt16LE(0))) {
      throw new CompletionError(COMPLETION.reservationCancelled, 'reservation of the event log');
    }
    const { record, next } = new SelView(bmc).read(request.readUInt16LE(2));
    const header = Buffer.alloc(2);
    header.writeUInt16LE(next, 0);
    return Buffer.concat([header, readPart(record, offset, count)]);
  },
};
