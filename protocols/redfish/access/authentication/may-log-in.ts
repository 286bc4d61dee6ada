import type { Account } from '../../../accounts.ts';

/** Whether an account can be used to log in. */
export function mayLogIn({ enabled, role, password }: Account): boolean {
  return enabled && role !== 'NoAccess' && password !== undefined && password.length > 0;
}
