import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { accountOf, userIdOf } from './user.ts';
import { encodeName } from './user-name.ts';

/** Get User Name, IPMI 2.0 §22.29. A nonexistent user has an empty name. */
export const getUserName: SessionCommand = {
  name: 'Get User Name',
  netFn: NET_FN.app,
  command: 0x46,
  privilege: PRIVILEGE.operator,
  requestLength: [1, 1],
  repeatable: true,
  handle: (request, { bmc }) => encodeName(accountOf(bmc, userIdOf(request.readUInt8(0)))?.name ?? ''),
};
