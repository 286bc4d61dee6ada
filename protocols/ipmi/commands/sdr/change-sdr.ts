import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';
import { HEADER_LENGTH } from './sdr-record.ts';
import { repositoryStamp, sdrRecords } from './sdr-repository.ts';

const MAX_RECORD = 64;

/** Add SDR, IPMI 2.0 §33.13: the repository has no free space, as Get SDR Repository Info reports. */
export const addSdr: SessionCommand = {
  name: 'Add SDR',
  netFn: NET_FN.storage,
  command: 0x24,
  privilege: PRIVILEGE.operator,
  requestLength: [HEADER_LENGTH, MAX_RECORD],
  repeatable: true,
  handle: () => {
    throw new CompletionError(COMPLETION.outOfSpace, 'the records are derived from the machine, and none can be added');
  },
};

const ACTION = { status: 0x00, erase: 0xaa };
const ERASURE_COMPLETED = 0x01;

/** Clear SDR Repository, IPMI 2.0 §33.16: erasing is not available, and no erasure is in progress. */
export const clearSdrRepository: SessionCommand = {
  name: 'Clear SDR Repository',
  netFn: NET_FN.storage,
  command: 0x27,
  privilege: PRIVILEGE.operator,
  requestLength: [6, 6],
  repeatable: true,
  handle: (request, { bmc }) => {
    if (request.toString('latin1', 2, 5) !== 'CLR') throw new CompletionError(COMPLETION.invalidField, 'not "CLR"');
    const action = request.readUInt8(5);
    if (action === ACTION.status) return Buffer.of(ERASURE_COMPLETED);
    if (action !== ACTION.erase) throw new CompletionError(COMPLETION.invalidField, `action ${action}`);
    const stamp = repositoryStamp(sdrRecords(bmc.machine.sensors()));
    if (!bmc.reservations.sdr.holds(request.readUInt16LE(0), stamp)) {
      throw new CompletionError(COMPLETION.reservationCancelled, 'reservation of the SDR repository');
    }
    throw new CompletionError(COMPLETION.disabled, 'the records are derived from the machine and cannot be erased');
  },
};
