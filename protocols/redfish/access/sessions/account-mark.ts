import { createHmac, hash } from 'node:crypto';
import type { Account } from '../../../accounts.ts';

/** What a session is found by; whoever reads it cannot log in by it. */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Key of the marks of one session. It comes from the token and is not stored, so that nobody can try passwords on a mark. */
export function markKey(token: string): Buffer {
  return createHmac('sha256', token).update('account mark').digest();
}

/** Another one as soon as the account's name, password or role is another: `Operator.3b1f…`. */
export function accountMark({ id, name, password, role }: Account, key: Buffer): string {
  const content = JSON.stringify([id, name, role, password?.toString('base64')]);
  return `${rolePart(role)}${createHmac('sha256', key).update(content).digest('hex')}`;
}

/** How a mark begins; of a session whose token was not seen yet, that is all that can be told. */
export function rolePart(role: Account['role']): string {
  return `${role}.`;
}
