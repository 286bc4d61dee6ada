import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { LARGEST_OFFSET, UNSPECIFIED_OFFSET } from './utc-offset.ts';

/** Set SEL Time UTC Offset, IPMI 2.0 §31.11b. It is information for clients and changes no time. */
export const setSelTimeUtcOffset: SessionCommand = {
  name: 'Set SEL Time UTC Offset',
  netFn: NET_FN.storage,
  command: 0x5d,
  privilege: PRIVILEGE.operator,
  requestLength: [2, 2],
  repeatable: false,
  handle: async (request, { bmc }) => {
    const minutes = request.readInt16LE(0);
    if (Math.abs(minutes) > LARGEST_OFFSET && minutes !== UNSPECIFIED_OFFSET) {
      throw new CompletionError(COMPLETION.outOfRange, `${minutes} minutes from UTC`);
    }
    const utcOffset = minutes === UNSPECIFIED_OFFSET ? null : minutes;
    await bmc.settings.change(({ sel }) => ({ sel: { ...sel, utcOffset } }));
    return Buffer.alloc(0);
  },
};
