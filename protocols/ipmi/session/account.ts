import { timingSafeEqual } from 'node:crypto';
import type { Account, Role } from '../../accounts.ts';
import { PRIVILEGE, type Privilege } from '../message/codes.ts';
import { MAX_USERNAME_BYTES } from '../rmcpplus/rakp.ts';

/** Maximum length of an IPMI 2.0 password and of K_G, in bytes. */
const MAX_PASSWORD_BYTES = 20;

const ROLE_PRIVILEGE: Readonly<Record<Role, Privilege | undefined>> = {
  Administrator: PRIVILEGE.administrator,
  Operator: PRIVILEGE.operator,
  ReadOnly: PRIVILEGE.user,
  NoAccess: undefined,
};

/** An account in protocol form. */
export interface IpmiUser {
  readonly account: Account;
  /** UTF-8, not a part of Node's buffer pool, which it would keep. */
  readonly name: Buffer;
  readonly userKey: Buffer;
  readonly maxPrivilege: Privilege;
}

/**
 * The account in protocol form; undefined if IPMI cannot represent it, then it cannot log in. Empty names and passwords are rejected
 * too: scanners try anonymous log-in first (US-CERT TA13-207A). Nothing is truncated: a truncated password would accept its prefix.
 */
export function ipmiUserOf(account: Account): IpmiUser | undefined {
  const maxPrivilege = ROLE_PRIVILEGE[account.role];
  const name = Buffer.alloc(Buffer.byteLength(account.name), account.name);
  const userKey = account.password;
  if (!account.enabled || !account.ipmiMessaging || maxPrivilege === undefined) return undefined;
  if (userKey === undefined || !isWithin(name, MAX_USERNAME_BYTES) || !isWithin(userKey, MAX_PASSWORD_BYTES)) {
    return undefined;
  }
  return { account, name, userKey, maxPrivilege };
}

/** Whether a session that logged in as `before` at this privilege level may continue with the current accounts. */
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

/** K_G in protocol form; null if IPMI cannot represent it: then no log-in is possible. */
export function bmcKeyOf(key: Buffer | undefined): Buffer | undefined | null {
  return key === undefined || isWithin(key, MAX_PASSWORD_BYTES) ? key : null;
}

function isWithin(value: Buffer, max: number): boolean {
  return value.length > 0 && value.length <= max;
}

/** A received name for logs: characters other than printable ASCII become `?`. */
export function printable(name: Buffer): string {
  return name.toString('latin1').replace(/[^\x20-\x7e]/g, '?');
}

/** Compares in constant time for equal lengths. */
export function isEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
