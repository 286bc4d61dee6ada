import {
  AccountError,
  AccountLimitError,
  MAX_ACCOUNT,
  NEW_ACCOUNT,
  OWNER_ACCOUNT,
  type Account,
  type AccountChange,
} from '../../../protocols/accounts.ts';

/** IPMI limits both to fewer bytes. Longer values work with Redfish only. */
const MAX_NAME_BYTES = 64;
const MAX_PASSWORD_BYTES = 128;

/** Lowest ID of an added account. */
const FIRST_ADDED = OWNER_ACCOUNT + 1;

interface AccountRules {
  /** Name of the owner's account, which is reserved. */
  owner: string;
  /** Minimum bytes of a new password. */
  minPassword: number;
}

/**
 * Returns the added accounts after a change of one of them.
 *
 * @throws AccountError `Invalid` or `Taken`
 */
export function applyChange(
  stored: readonly Account[],
  id: number,
  change: AccountChange,
  { owner, minPassword }: AccountRules,
): readonly Account[] {
  if (id < FIRST_ADDED || id > MAX_ACCOUNT) {
    throw new AccountError('Invalid', `accounts are added with IDs ${FIRST_ADDED} to ${MAX_ACCOUNT}`);
  }
  const others = stored.filter((account) => account.id !== id);
  const before = stored.find((account) => account.id === id);
  const after: Account = { ...NEW_ACCOUNT, name: '', ...before, ...change, id };
  if (after.name === '') return others;
  if (!isSound(after) || isTooShort(change.password, before?.password, minPassword)) {
    throw new AccountError(
      'Invalid',
      `a name has up to ${MAX_NAME_BYTES} printable bytes, a password ${minPassword} to ${MAX_PASSWORD_BYTES}`,
    );
  }
  if (after.name === owner || others.some(({ name }) => name === after.name)) {
    throw new AccountError('Taken', `another account has the name ${after.name}`);
  }
  return [...others, after].toSorted((a, b) => a.id - b.id);
}

/** Whether a password is new and too short. Clients may write back a password that is older than the minimum. */
function isTooShort(password: Buffer | undefined, before: Buffer | undefined, minimum: number): boolean {
  if (password === undefined || password.length >= minimum) return false;
  return before?.equals(password) !== true;
}

/**
 * The lowest ID that no stored account has, valid or not.
 *
 * @throws AccountLimitError
 */
export function freeId(stored: readonly Account[]): number {
  for (let id = FIRST_ADDED; id <= MAX_ACCOUNT; id += 1) {
    if (!stored.some((account) => account.id === id)) return id;
  }
  throw new AccountLimitError(
    `there are ${MAX_ACCOUNT - FIRST_ADDED + 1} accounts in addition to the owner's, the maximum`,
  );
}

/** The valid stored accounts. Users may have edited the stored data. */
export function soundAccounts(stored: readonly Account[], owner: string): readonly Account[] {
  const ids = new Set<number>();
  const names = new Set([owner]);
  return stored.filter((account) => {
    const isFit = isSound(account) && !ids.has(account.id) && !names.has(account.name);
    ids.add(account.id);
    names.add(account.name);
    return isFit && account.id >= FIRST_ADDED && account.id <= MAX_ACCOUNT;
  });
}

function isSound({ name, password }: Account): boolean {
  const isName = name !== '' && Buffer.byteLength(name) <= MAX_NAME_BYTES && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name);
  return isName && (password === undefined || (password.length > 0 && password.length <= MAX_PASSWORD_BYTES));
}
