import { MAX_ACCOUNT, OWNER_ACCOUNT, type Role } from '../../../accounts.ts';
import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import { requireLanChannel } from '../channel/channel.ts';
import type { SessionCommand } from '../command.ts';
import { accountOf, changeAccount, requireAccount, userIdOf } from './user.ts';

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

const CHANGES_ACCESS = 0x80;
const CALLBACK_ONLY = 0x40;
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
      throw new CompletionError(COMPLETION.invalidField, 'callback is not supported');
    }
    if (request.length > 3 && (request.readUInt8(3) & LIMIT_MASK) !== 0) {
      throw new CompletionError(COMPLETION.invalidField, 'sessions are not limited per user');
    }
    const ipmiMessaging = (access & IPMI_MESSAGING) !== 0;
    const staysWithoutAccess = limit === NO_ACCESS && !(changesAccess && ipmiMessaging);
    if (staysWithoutAccess && accountOf(context.bmc, id) === undefined) return;
    requireAccount(context.bmc, id);
    await changeAccount(context, id, { role, ...(changesAccess && { ipmiMessaging }) });
  },
};

/** Privilege limit "no access" on a channel. */
const NO_ACCESS = 0x0f;

const LEVEL_OF_ROLE: Readonly<Record<Role, number>> = {
  Administrator: PRIVILEGE.administrator,
  Operator: PRIVILEGE.operator,
  ReadOnly: PRIVILEGE.user,
  NoAccess: NO_ACCESS,
};

/** The privilege limit of a role. */
function limitOfRole(role: Role): number {
  return LEVEL_OF_ROLE[role];
}

/** The role of a privilege limit; undefined for Callback, OEM and reserved values. */
function roleOfLimit(limit: number): Role | undefined {
  return (Object.keys(LEVEL_OF_ROLE) as Role[]).find((role) => LEVEL_OF_ROLE[role] === limit);
}
