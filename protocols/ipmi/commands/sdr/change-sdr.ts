import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';
import { ERASURE_COMPLETED, isErasure } from '../reservation.ts';
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

/** Clear SDR Repository, IPMI 2.0 §33.16: erasing is not available, and no erasure is in progress. */
export const clearSdrRepository: SessionCommand = {
  name: 'Clear SDR Repository',
  netFn: NET_FN.storage,
  command: 0x27,
  privilege: PRIVILEGE.operator,
  requestLength: [6, 6],
  repeatable: true,
  handle: (request, { bmc }) => {
    if (!isErasure(request)) return Buffer.of(ERASURE_COMPLETED);
    bmc.reservations.sdr.require(request.readUInt16LE(0), repositoryStamp(sdrRecords(bmc.machine.sensors())));
    throw new CompletionError(COMPLETION.disabled, 'the records are derived from the machine and cannot be erased');
  },
};
