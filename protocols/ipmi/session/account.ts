import type { Account, Role } from '../../accounts.ts';
import { PRIVILEGE, type Privilege } from '../message/privilege.ts';
import { MAX_USERNAME_BYTES } from '../rmcpplus/rakp1.ts';

/** Longest password and K_G of IPMI 2.0, in bytes. */
const MAX_PASSWORD_BYTES = 20;

const ROLE_PRIVILEGE: Readonly<Record<Role, Privilege | undefined>> = {
  Administrator: PRIVILEGE.administrator,
  Operator: PRIVILEGE.operator,
  ReadOnly: PRIVILEGE.user,
  NoAccess: undefined,
};

/** An account in the form that the protocol takes. */
export interface IpmiUser {
  readonly account: Account;
  readonly name: Buffer;
  readonly userKey: Buffer;
  readonly maxPrivilege: Privilege;
}

/**
 * The account as IPMI can carry it; undefined for those that it cannot, with which nobody can log in.
 * An empty name or password is refused too: anonymous log-in is what scanners try first (US-CERT TA13-207A). Nothing is
 * cut to length, since a cut password would let in who knows only its beginning.
 */
export function ipmiUserOf(account: Account): IpmiUser | undefined {
  const maxPrivilege = ROLE_PRIVILEGE[account.role];
  const name = Buffer.from(account.name, 'utf8');
  const userKey = account.password;
  if (!account.enabled || !account.ipmiMessaging || maxPrivilege === undefined) return undefined;
  if (userKey === undefined || !isWithin(name, MAX_USERNAME_BYTES) || !isWithin(userKey, MAX_PASSWORD_BYTES)) {
    return undefined;
  }
  return { account, name, userKey, maxPrivilege };
}

/** Whether somebody who logged in with `before` at a privilege level may go on, now that the accounts are as they are. */
export function isStillGranted(before: Account, privilege: Privilege, accounts: readonly Account[]): boolean {
  const now = accounts.find(({ id }) => id === before.id);
  if (now === before) return true;
  const user = now === undefined ? undefined : ipmiUserOf(now);
  return (
    user !== undefined &&
    user.account.name === before.name &&
    before.password !== undefined &&
    user.userKey.equals(before.password) &&
    user.maxPrivilege >= privilege
  );
}

/** K_G as IPMI can carry it; one that it cannot lets nobody in, which is what null stands for. */
export function bmcKeyOf(key: Buffer | undefined): Buffer | undefined | null {
  return key === undefined || isWithin(key, MAX_PASSWORD_BYTES) ? key : null;
}

function isWithin(value: Buffer, max: number): boolean {
  return value.length > 0 && value.length <= max;
}
