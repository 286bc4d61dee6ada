import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { ACCESS, ACCESS_KIND_MASK, NON_VOLATILE, PRIVILEGE_LIMIT, requireLanChannel, VOLATILE } from './channel.ts';

/** Get Channel Access, IPMI 2.0 §22.23. The volatile and non-volatile settings are the same. */
export const getChannelAccess: SessionCommand = {
  name: 'Get Channel Access',
  netFn: NET_FN.app,
  command: 0x41,
  privilege: PRIVILEGE.user,
  requestLength: [2, 2],
  repeatable: true,
  handle: (request) => {
    requireLanChannel(request.readUInt8(0));
    const kind = request.readUInt8(1) & ACCESS_KIND_MASK;
    if (kind !== VOLATILE && kind !== NON_VOLATILE) {
      throw new CompletionError(COMPLETION.invalidField, 'neither what holds now nor what holds after a restart');
    }
    return Buffer.of(ACCESS, PRIVILEGE_LIMIT);
  },
};
