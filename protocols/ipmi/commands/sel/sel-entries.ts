import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import { uint16 } from '../../message/integers.ts';
import type { SessionCommand } from '../command.ts';
import { readPart, WHOLE } from '../reservation.ts';
import { BODY_LENGTH, RECORD_LENGTH, RECORD_TYPE } from './sel-record.ts';
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
    if (!isWhole) bmc.reservations.sel.require(request.readUInt16LE(0));
    const { record, next } = new SelView(bmc).read(request.readUInt16LE(2));
    return Buffer.concat([uint16(next), readPart(record, offset, count)]);
  },
};

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
    return uint16(bmc.recordIds.idOf(entry, 0));
  },
};

const NO_RESERVATION = 0x0000;

/**
 * Delete SEL Entry, IPMI 2.0 §31.8. Deletes an event with its OEM records. Returns the ID of the event's own record. A given
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
    if (reservation !== NO_RESERVATION) sel.require(reservation);
    const entry = new SelView(bmc).entry(request.readUInt16LE(2));
    if (!bmc.machine.log.remove(entry.id)) throw new CompletionError(COMPLETION.notPresent, 'the record is gone');
    // Deletes with a reservation keep it, for a series of deletes; other deletes cancel it.
    if (reservation === NO_RESERVATION) sel.cancel();
    return uint16(bmc.recordIds.idOf(entry, 0));
  },
};
