import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { fruOf } from './fru-of.ts';

/** Read FRU Data, IPMI 2.0 §34.2: byte count and bytes; fewer than requested at the end of the inventory. */
export const readFruData: SessionCommand = {
  name: 'Read FRU Data',
  netFn: NET_FN.storage,
  command: 0x11,
  privilege: PRIVILEGE.user,
  requestLength: [4, 4],
  repeatable: true,
  handle: (request, { bmc }) => {
    const fru = fruOf(bmc, request.readUInt8(0));
    const offset = request.readUInt16LE(1);
    if (offset >= fru.length) throw new CompletionError(COMPLETION.outOfRange, `offset ${offset} of ${fru.length}`);
    const bytes = fru.subarray(offset, offset + request.readUInt8(3));
    return Buffer.concat([Buffer.of(bytes.length), bytes]);
  },
};
