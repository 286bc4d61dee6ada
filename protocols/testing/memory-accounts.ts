import {
  AccountError,
  AccountLimitError,
  MAX_ACCOUNT,
  NEW_ACCOUNT,
  OWNER_ACCOUNT,
  type Account,
  type AccountChange,
  type Accounts,
} from '../accounts.ts';

/** {@link Accounts} in memory: the owner's account, which cannot be changed, and others. */
export class MemoryAccounts implements Accounts {
  #accounts: readonly Account[];
  /** Thrown once, by the next change. */
  nextError: AccountError | undefined;

  constructor(owner?: { username: string; password: string | Buffer }, others: readonly Account[] = []) {
    this.#accounts = [
      ...(owner === undefined ? [] : [memoryAccount(OWNER_ACCOUNT, { ...owner, role: 'Administrator' })]),
      ...others,
    ];
  }

  list(): readonly Account[] {
    return this.#accounts;
  }

  async add(account: AccountChange): Promise<number> {
    const ids = Array.from({ length: MAX_ACCOUNT - OWNER_ACCOUNT }, (_, i) => OWNER_ACCOUNT + 1 + i);
    const id = ids.find((one) => !this.#accounts.some((other) => other.id === one));
    if (id === undefined) throw new AccountLimitError('all account IDs are in use');
    await this.change(id, account);
    return id;
  }

  // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
  async change(id: number, change: AccountChange): Promise<void> {
    const error = this.nextError;
    this.nextError = undefined;
    if (error !== undefined) throw error;
    if (id === OWNER_ACCOUNT) throw new AccountError('ReadOnly', 'the owner manages this account');
    if (this.#accounts.some((other) => other.id !== id && other.name === change.name)) {
      throw new AccountError('Taken', `another account is called ${change.name ?? ''}`);
    }
    const before = this.#accounts.find((account) => account.id === id);
    const after = { ...NEW_ACCOUNT, name: '', ...before, ...change, id };
    const others = this.#accounts.filter((account) => account.id !== id);
    this.#accounts = after.name === '' ? others : [...others, after].toSorted((a, b) => a.id - b.id);
  }
}

/** An enabled administrator account, changed by `fields`. */
export function memoryAccount(
  id: number,
  {
    username,
    password,
    ...fields
  }: { username: string; password: string | Buffer } & Partial<Omit<Account, 'password'>>,
): Account {
  return {
    ...NEW_ACCOUNT,
    role: 'Administrator',
    enabled: true,
    ...fields,
    id,
    name: username,
    password: Buffer.from(password),
  };
}
