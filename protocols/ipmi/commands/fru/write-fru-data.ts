import { CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { fruOf } from './fru-of.ts';

/** Completion code of this command. */
const WRITE_PROTECTED = 0x80;

/** Write FRU Data, IPMI 2.0 §34.3: rejected, since the inventory comes from the platform. */
export const writeFruData: SessionCommand = {
  name: 'Write FRU Data',
  netFn: NET_FN.storage,
  command: 0x12,
  privilege: PRIVILEGE.operator,
  requestLength: [4, 255],
  repeatable: true,
  handle: (request, { bmc }) => {
    fruOf(bmc, request.readUInt8(0));
    throw new CompletionError(WRITE_PROTECTED, 'the inventory is what the platform says');
  },
};
