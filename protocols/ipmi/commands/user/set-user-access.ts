import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import { requireLanChannel } from '../channel/channel.ts';
import type { SessionCommand } from '../command.ts';
import { accountOf, changeAccount, requireAccount, userIdOf } from './user.ts';
import { NO_ACCESS, roleOfLimit } from './user-access.ts';

const CHANGES_ACCESS = 0x80;
const CALLBACK_ONLY = 0x40;
const IPMI_MESSAGING = 0x10;
const LIMIT_MASK = 0x0f;

/**
 * Set User Access, IPMI 2.0 §22.26. Link authentication is for serial channels; it is ignored, since guides set it. Session limits and
 * callback-only users are rejected. For a nonexistent user the current values are accepted: configuration tools write back all 16.
 */
export const setUserAccess: SessionCommand = {
  name: 'Set User Access',
  netFn: NET_FN.app,
  command: 0x43,
  privilege: PRIVILEGE.administrator,
  requestLength: [3, 4],
  repeatable: true,
  handle: async (request, context) => {
    const access = request.readUInt8(0);
    requireLanChannel(access);
    const id = userIdOf(request.readUInt8(1));
    const limit = request.readUInt8(2) & LIMIT_MASK;
    const role = roleOfLimit(limit);
    if (role === undefined) throw new CompletionError(COMPLETION.invalidField, `privilege limit ${limit}`);
    const changesAccess = (access & CHANGES_ACCESS) !== 0;
    if (changesAccess && (access & CALLBACK_ONLY) !== 0) {
      throw new CompletionError(COMPLETION.invalidField, 'there is no callback');
    }
    if (request.length > 3 && (request.readUInt8(3) & LIMIT_MASK) !== 0) {
      throw new CompletionError(COMPLETION.invalidField, 'sessions are not limited per user');
    }
    const ipmiMessaging = (access & IPMI_MESSAGING) !== 0;
    const staysNobody = limit === NO_ACCESS && !(changesAccess && ipmiMessaging);
    if (staysNobody && accountOf(context.bmc, id) === undefined) return Buffer.alloc(0);
    requireAccount(context.bmc, id);
    await changeAccount(context, id, { role, ...(changesAccess && { ipmiMessaging }) });
    return Buffer.alloc(0);
  },
};
