import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { accountOf, changeAccount, userIdOf } from './user.ts';
import { decodeName, NAME_LENGTH } from './user-name.ts';

/**
 * Set User Name, IPMI 2.0 §22.28: creates a user without rights until it has a password, is enabled and has a privilege limit. An
 * empty name removes the user. 0xCC for a name in use.
 */
export const setUserName: SessionCommand = {
  name: 'Set User Name',
  netFn: NET_FN.app,
  command: 0x45,
  privilege: PRIVILEGE.administrator,
  requestLength: [1 + NAME_LENGTH, 1 + NAME_LENGTH],
  repeatable: true,
  handle: async (request, context) => {
    const id = userIdOf(request.readUInt8(0));
    const name = decodeName(request.subarray(1));
    // No change: for example the null user, whose empty name configuration tools write back.
    if (name === '' && accountOf(context.bmc, id) === undefined) return Buffer.alloc(0);
    await changeAccount(context, id, { name });
    return Buffer.alloc(0);
  },
};
