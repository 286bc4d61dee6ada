import { type Account, AccountError, MAX_ACCOUNT, type Role } from '../../../protocols/accounts.ts';
import { MachineError } from '../../../protocols/machine/index.ts';
import type { AccountStore } from '../accounts/bmc-accounts.ts';
import type { EntryFormat, StateEntry } from './state-entry.ts';

/**
 * Accounts as JSON, passwords in base64. They are not hashed, because RAKP needs the password itself (IPMI 2.0 §13.31). So
 * everyone who can read the Secret can log in.
 */
export const ACCOUNTS_FORMAT: EntryFormat<readonly Account[]> = {
  key: 'accounts',
  empty: [],
  decode(text) {
    const values = listIn(text);
    const accounts = values?.map(accountIn).filter((account) => account !== undefined) ?? [];
    const ids = new Set(accounts.map(({ id }) => id));
    const isWhole = values !== undefined && accounts.length === values.length && ids.size === accounts.length;
    const value = accounts.filter(({ id }, index) => accounts.findIndex((other) => other.id === id) === index);
    return { value, isWhole };
  },
  encode: (accounts) =>
    JSON.stringify(accounts.map(({ password, ...rest }) => ({ ...rest, password: password?.toString('base64') }))),
};

/** The added accounts of a BMC, which outlive its agent. */
export class StoredAccounts implements AccountStore {
  readonly #entry: StateEntry<readonly Account[]>;

  constructor(entry: StateEntry<readonly Account[]>) {
    this.#entry = entry;
  }

  current(): readonly Account[] {
    return this.#entry.current();
  }

  async change(apply: (stored: readonly Account[]) => readonly Account[]): Promise<void> {
    await accountChange(() => this.#entry.change(apply));
  }
}

/** Runs a write of an account, and converts its errors. @throws AccountError `Unavailable` */
export async function accountChange(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof MachineError) throw new AccountError('Unavailable', error.message, { cause: error });
    throw error;
  }
}

const ROLES: readonly Role[] = ['Administrator', 'Operator', 'ReadOnly', 'NoAccess'];

function listIn(text: string): unknown[] | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function accountIn(value: unknown): Account | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, name, password, role, enabled, ipmiMessaging, serialOverLan } = value as Record<string, unknown>;
  const known = ROLES.find((one) => one === role);
  if (!Number.isInteger(id) || Number(id) < 1 || Number(id) > MAX_ACCOUNT) return undefined;
  if (typeof name !== 'string' || known === undefined) return undefined;
  if (password !== undefined && typeof password !== 'string') return undefined;
  if (typeof enabled !== 'boolean' || typeof ipmiMessaging !== 'boolean' || typeof serialOverLan !== 'boolean') {
    return undefined;
  }
  const secret = password === undefined ? undefined : Buffer.from(password, 'base64');
  return { id: Number(id), name, password: secret, role: known, enabled, ipmiMessaging, serialOverLan };
}
