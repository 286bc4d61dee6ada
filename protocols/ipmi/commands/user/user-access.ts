import type { Role } from '../../../accounts.ts';
import { PRIVILEGE } from '../../message/privilege.ts';

/** Privilege limit "no access" on a channel. */
export const NO_ACCESS = 0x0f;

const LEVEL_OF_ROLE: Readonly<Record<Role, number>> = {
  Administrator: PRIVILEGE.administrator,
  Operator: PRIVILEGE.operator,
  ReadOnly: PRIVILEGE.user,
  NoAccess: NO_ACCESS,
};

/** The privilege limit of a role. */
export function limitOfRole(role: Role): number {
  return LEVEL_OF_ROLE[role];
}

/** The role of a privilege limit; undefined for Callback, OEM and reserved values. */
export function roleOfLimit(limit: number): Role | undefined {
  return (Object.keys(LEVEL_OF_ROLE) as Role[]).find((role) => LEVEL_OF_ROLE[role] === limit);
}
