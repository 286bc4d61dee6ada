import { isDeepStrictEqual } from 'node:util';
import { AccountError, NEW_ACCOUNT, OWNER_ACCOUNT, type Account, type Accounts } from '../../../protocols/accounts.ts';
import type { Credentials } from './credentials.ts';

/** Who may log in to one BMC: the user of its Secret. */
export class BmcAccounts implements Accounts {
  #accounts: readonly Account[] = [];

  list(): readonly Account[] {
    return this.#accounts;
  }

  change(): Promise<void> {
    return Promise.reject(new AccountError('ReadOnly', 'the account stands in a Secret that its owner keeps'));
  }

  /** Takes over what the Secret says; undefined: nobody can log in. */
  follow(credentials: Credentials | undefined): void {
    const accounts = credentials === undefined ? [] : [ownerAccount(credentials)];
    if (!isDeepStrictEqual(accounts, this.#accounts)) this.#accounts = accounts;
  }
}

function ownerAccount({ username, password }: Credentials): Account {
  return {
    ...NEW_ACCOUNT,
    id: OWNER_ACCOUNT,
    name: username.toString('utf8'),
    password,
    role: 'Administrator',
    enabled: true,
  };
}
