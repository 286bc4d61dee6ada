import { isDeepStrictEqual } from 'node:util';
import {
  AccountError,
  MAX_ACCOUNT,
  type Account,
  type AccountChange,
  type AccountErrorCode,
} from '../../../accounts.ts';
import { COMPLETION, CompletionError } from '../../message/codes.ts';
import type { Bmc, SessionCommandContext } from '../command.ts';
import { endForbiddenSol } from '../sol/payload.ts';

const USER_ID_MASK = 0x3f;

/** `ReadOnly` is the owner's account: ipmitool prints "Cannot execute command, command disabled", the closest available text. */
const ACCOUNT_ERROR_COMPLETION: Readonly<Record<AccountErrorCode, number>> = {
  ReadOnly: COMPLETION.disabled,
  Taken: COMPLETION.invalidField,
  Invalid: COMPLETION.invalidField,
  Unavailable: COMPLETION.destinationUnavailable,
};

/** @throws CompletionError 0xC9 above the maximum, 0xCC for the reserved ID 0 */
export function userIdOf(byte: number): number {
  const id = byte & USER_ID_MASK;
  if (id === 0) throw new CompletionError(COMPLETION.invalidField, 'user ID 0 is reserved');
  if (id > MAX_ACCOUNT) throw new CompletionError(COMPLETION.outOfRange, `user IDs are 1 to ${MAX_ACCOUNT}`);
  return id;
}

/** The account of a user ID; undefined if it does not exist, as always for 1, the null user. */
export function accountOf(bmc: Bmc, id: number): Account | undefined {
  return bmc.accounts.list().find((account) => account.id === id);
}

/** @throws CompletionError 0xD5 for a nonexistent user: Set User Name creates it */
export function requireAccount(bmc: Bmc, id: number): Account {
  const account = accountOf(bmc, id);
  if (account === undefined)
    throw new CompletionError(COMPLETION.invalidState, `user ${id} does not exist: set its name first`);
  return account;
}

/**
 * Changes an account, logs the requester, and ends sessions and SOL that lose their rights. The requesting session continues with the
 * changed account, unless it has removed its own rights.
 *
 * @throws CompletionError
 */
export async function changeAccount(
  { bmc, session, requester }: SessionCommandContext,
  id: number,
  change: AccountChange,
): Promise<void> {
  const before = bmc.accounts.list();
  const account = before.find((other) => other.id === id);
  // Configuration tools write back the values that they read.
  if (account !== undefined && isDeepStrictEqual({ ...account, ...change }, account)) return;
  const own =
    session.account.id === id ? { before: session.account, after: { ...session.account, ...change } } : undefined;
  if (own !== undefined) session.otherAccount = own.after;
  try {
    await bmc.accounts.change(id, change);
  } catch (error) {
    if (!(error instanceof AccountError)) throw error;
    throw new CompletionError(ACCOUNT_ERROR_COMPLETION[error.code], error.message, { cause: error });
  }
  const accounts = bmc.accounts.list();
  const named = change.name === '' ? undefined : change.name;
  bmc.machine.log.append({ kind: 'AccountChanged', account: named ?? account?.name ?? '', requester });
  if (own !== undefined) [session.account, session.otherAccount] = [own.after, own.before];
  if (accounts === before) return;
  bmc.sessions.endWhere((other) => !other.isGranted(accounts));
  endForbiddenSol(bmc);
}
