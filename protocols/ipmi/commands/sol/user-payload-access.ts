import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import { requireLanChannel } from '../channel/channel.ts';
import type { SessionCommand } from '../command.ts';
import { accountOf, changeAccount, requireAccount, userIdOf } from '../user/user.ts';

/** Get User Payload Access, IPMI 2.0 §24.7. A nonexistent user has no access. */
export const getUserPayloadAccess: SessionCommand = {
  name: 'Get User Payload Access',
  netFn: NET_FN.app,
  command: 0x4d,
  privilege: PRIVILEGE.operator,
  requestLength: [2, 2],
  repeatable: true,
  handle: (request, { bmc }) => {
    requireLanChannel(request.readUInt8(0));
    const account = accountOf(bmc, userIdOf(request.readUInt8(1)));
    return Buffer.of(account?.serialOverLan === true ? SOL_ENABLED : 0, 0, 0, 0);
  },
};

/** Bits 7:6 of the second byte. */
const ENABLE = 0;
const DISABLE = 1;

/** Set User Payload Access, IPMI 2.0 §24.6. Only SOL access can be changed; other bits have no effect. */
export const setUserPayloadAccess: SessionCommand = {
  name: 'Set User Payload Access',
  netFn: NET_FN.app,
  command: 0x4c,
  privilege: PRIVILEGE.administrator,
  requestLength: [6, 6],
  repeatable: true,
  handle: async (request, context) => {
    requireLanChannel(request.readUInt8(0));
    const user = request.readUInt8(1);
    const operation = user >> 6;
    if (operation !== ENABLE && operation !== DISABLE) {
      throw new CompletionError(COMPLETION.invalidField, `operation ${operation}`);
    }
    const id = userIdOf(user);
    // A nonexistent user has no access already; configuration tools write that back.
    if (operation === DISABLE && accountOf(context.bmc, id) === undefined) return;
    requireAccount(context.bmc, id);
    if ((request.readUInt8(2) & SOL_ENABLED) === 0) return;
    await changeAccount(context, id, { serialOverLan: operation === ENABLE });
  },
};

/** Bit of SOL in the first byte of standard payloads. */
const SOL_ENABLED = 0x02;
