import type { Account } from '../../../accounts.ts';

/** Whether somebody who knows its password gets in by this account. */
export function mayLogIn({ enabled, role, password }: Account): boolean {
  return enabled && role !== 'NoAccess' && password !== undefined && password.length > 0;
}
