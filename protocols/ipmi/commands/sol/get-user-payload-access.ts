import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import { requireLanChannel } from '../channel/channel.ts';
import type { SessionCommand } from '../command.ts';
import { accountOf, userIdOf } from '../user/user.ts';
import { SOL_ENABLED } from './user-payload-access.ts';

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
