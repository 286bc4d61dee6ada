import { createHmac, hash } from 'node:crypto';
import type { Account } from '../../../accounts.ts';

/** Key under which a session is stored. It is a hash, so that the stored value cannot be used to log in. */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Key of the account mark of a session. Derived from the token and not stored, so that passwords cannot be guessed from a mark. */
export function markKey(token: string): Buffer {
  return createHmac('sha256', token).update('account mark').digest();
}

/** Changes with the account's name, password or role: `Operator.3b1f…`. */
export function accountMark({ id, name, password, role }: Account, key: Buffer): string {
  const content = JSON.stringify([id, name, role, password?.toString('base64')]);
  return `${rolePart(role)}${createHmac('sha256', key).update(content).digest('hex')}`;
}

/** Prefix of a mark; it can be checked before the token of the session was seen. */
export function rolePart(role: Account['role']): string {
  return `${role}.`;
}
