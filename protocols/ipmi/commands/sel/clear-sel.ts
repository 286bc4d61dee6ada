import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import { uint16 } from '../../message/integers.ts';
import type { SessionCommand } from '../command.ts';

/** Reserve SEL, IPMI 2.0 §31.4. */
export const reserveSel: SessionCommand = {
  name: 'Reserve SEL',
  netFn: NET_FN.storage,
  command: 0x42,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: false,
  handle: (_request, { bmc }) => {
    return uint16(bmc.reservations.sel.take());
  },
};

const ACTION = { status: 0x00, erase: 0xaa };
const ERASURE_COMPLETED = 0x01;

/**
 * Clear SEL, IPMI 2.0 §31.9. It is complete when answered, and leaves one event with the requester. The status query needs no
 * reservation, since clearing cancels the reservation.
 */
export const clearSel: SessionCommand = {
  name: 'Clear SEL',
  netFn: NET_FN.storage,
  command: 0x47,
  privilege: PRIVILEGE.operator,
  requestLength: [6, 6],
  repeatable: false,
  handle: (request, { bmc, requester }) => {
    const { sel } = bmc.reservations;
    if (request.toString('latin1', 2, 5) !== 'CLR') throw new CompletionError(COMPLETION.invalidField, 'not "CLR"');
    const action = request.readUInt8(5);
    if (action === ACTION.status) return Buffer.of(ERASURE_COMPLETED);
    if (action !== ACTION.erase) throw new CompletionError(COMPLETION.invalidField, `action ${action}`);
    if (!sel.holds(request.readUInt16LE(0))) {
      throw new CompletionError(COMPLETION.reservationCancelled, 'reservation of the event log');
    }
    bmc.machine.log.clear(requester);
    sel.cancel();
    return Buffer.of(ERASURE_COMPLETED);
  },
};
