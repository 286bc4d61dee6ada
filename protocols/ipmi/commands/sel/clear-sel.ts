import { NET_FN, PRIVILEGE } from '../../message/codes.ts';
import { uint16 } from '../../message/integers.ts';
import type { SessionCommand } from '../command.ts';
import { ERASURE_COMPLETED, isErasure } from '../reservation.ts';

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
    if (isErasure(request)) {
      sel.require(request.readUInt16LE(0));
      bmc.machine.log.clear(requester);
      sel.cancel();
    }
    return Buffer.of(ERASURE_COMPLETED);
  },
};
