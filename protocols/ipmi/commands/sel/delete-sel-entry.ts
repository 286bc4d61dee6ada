import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { recordIdOf } from './record-id.ts';
import { SelView } from './sel-view.ts';

const NO_RESERVATION = 0x0000;

/**
 * Delete SEL Entry, IPMI 2.0 §31.8. Deletes an event with its requester records. Returns the ID of the event's own record. A given
 * reservation must be valid; 0000h means none.
 */
export const deleteSelEntry: SessionCommand = {
  name: 'Delete SEL Entry',
  netFn: NET_FN.storage,
  command: 0x46,
  privilege: PRIVILEGE.operator,
  requestLength: [4, 4],
  repeatable: false,
  handle: (request, { bmc }) => {
    const { sel } = bmc.reservations;
    const reservation = request.readUInt16LE(0);
    if (reservation !== NO_RESERVATION && !sel.holds(reservation)) {
      throw new CompletionError(COMPLETION.reservationCancelled, 'reservation of the event log');
    }
    const entry = new SelView(bmc).entry(request.readUInt16LE(2));
    if (!bmc.machine.log.remove(entry.id)) throw new CompletionError(COMPLETION.notPresent, 'the record is gone');
    // Deletes with a reservation keep it, for a series of deletes; other deletes cancel it.
    if (reservation === NO_RESERVATION) sel.cancel();
    const data = Buffer.alloc(2);
    data.writeUInt16LE(recordIdOf(entry, 0), 0);
    return data;
  },
};
