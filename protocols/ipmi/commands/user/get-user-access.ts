import { MAX_ACCOUNT, OWNER_ACCOUNT } from '../../../accounts.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import { requireLanChannel } from '../channel/channel.ts';
import type { SessionCommand } from '../command.ts';
import { accountOf, userIdOf } from './user.ts';
import { limitOfRole, NO_ACCESS } from './user-access.ts';

/** Bits 7:6 of the user count: whether the user is enabled. */
const ENABLED = 0x40;
const DISABLED = 0x80;
const IPMI_MESSAGING = 0x10;

/** Get User Access, IPMI 2.0 §22.27. There are 16 users, since ipmitool queries each. The null user and the owner have fixed names. */
export const getUserAccess: SessionCommand = {
  name: 'Get User Access',
  netFn: NET_FN.app,
  command: 0x44,
  privilege: PRIVILEGE.operator,
  requestLength: [2, 2],
  repeatable: true,
  handle: (request, { bmc }) => {
    requireLanChannel(request.readUInt8(0));
    const account = accountOf(bmc, userIdOf(request.readUInt8(1)));
    const enabled = bmc.accounts.list().filter((other) => other.enabled).length;
    const status = account?.enabled === true ? ENABLED : DISABLED;
    const messaging = account?.ipmiMessaging === true ? IPMI_MESSAGING : 0;
    const limit = account === undefined ? NO_ACCESS : limitOfRole(account.role);
    return Buffer.of(MAX_ACCOUNT, status | enabled, OWNER_ACCOUNT, messaging | limit);
  },
};
