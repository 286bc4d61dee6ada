import { isDeepStrictEqual } from 'node:util';
import { IPMI_CREDENTIAL_LIMITS } from '../../../api/index.ts';
import {
  AccountError,
  NEW_ACCOUNT,
  OWNER_ACCOUNT,
  type Account,
  type AccountChange,
  type Accounts,
} from '../../../protocols/accounts.ts';
import type { AccountStore, OwnerSecret } from './account-store.ts';
import { applyChange, freeId, soundAccounts } from './apply-change.ts';
import type { Credentials } from './credentials.ts';

export interface BmcAccountsOptions {
  /** Where added accounts are kept; without it none can be added. */
  store?: AccountStore;
  /** The Secret of the owner's account; undefined where the owner has named it, who alone writes it then. */
  ownerSecret?: () => OwnerSecret | undefined;
}

interface Joined {
  owner: Account | undefined;
  stored: readonly Account[];
  accounts: readonly Account[];
}

const NONE: readonly Account[] = [];

/** Who may log in to one BMC: the user of its owner's Secret, and those that clients have added. */
export class BmcAccounts implements Accounts {
  readonly #options: BmcAccountsOptions;
  #owner: Account | undefined;
  /** What {@link list} gave last, and what that was made of. */
  #joined: Joined = { owner: undefined, stored: NONE, accounts: NONE };

  constructor(options: BmcAccountsOptions = {}) {
    this.#options = options;
  }

  list(): readonly Account[] {
    const owner = this.#owner;
    const stored = this.#options.store?.current() ?? NONE;
    if (this.#joined.owner !== owner || this.#joined.stored !== stored) {
      const accounts = owner === undefined ? NONE : [owner, ...soundAccounts(stored, owner.name)];
      this.#joined = { owner, stored, accounts };
    }
    return this.#joined.accounts;
  }

  async change(id: number, change: AccountChange): Promise<void> {
    const owner = this.#owner;
    if (owner === undefined) throw new AccountError('Unavailable', 'the Secret of the owner cannot be read');
    if (id === OWNER_ACCOUNT) {
      await this.#changeOwner(owner, change);
      return;
    }
    await this.#store.change((stored) => applyChange(stored, id, change, owner.name));
  }

  async add(account: AccountChange): Promise<number> {
    const owner = this.#owner;
    if (owner === undefined) throw new AccountError('Unavailable', 'the Secret of the owner cannot be read');
    let id = 0;
    await this.#store.change((stored) => {
      // Chosen anew where another agent was quicker: the ID of before may be its account's by now.
      id = freeId(stored);
      return applyChange(stored, id, account, owner.name);
    });
    return id;
  }

  /** Takes over what the Secret says; undefined: nobody can log in. */
  follow(credentials: Credentials | undefined): void {
    const owner = credentials === undefined ? undefined : ownerAccount(credentials);
    if (!isDeepStrictEqual(owner, this.#owner)) this.#owner = owner;
  }

  get #store(): AccountStore {
    const { store } = this.#options;
    if (store === undefined) throw new AccountError('Unavailable', 'there is nowhere to keep accounts');
    return store;
  }

  /** What it is anyway may be written to it: tools that copy a configuration do so. */
  async #changeOwner(owner: Account, change: AccountChange): Promise<void> {
    const { password, ...others } = change;
    const wanted = { ...owner, ...others };
    if (!isDeepStrictEqual(wanted, owner)) {
      throw new AccountError('ReadOnly', 'the account stands in the Secret of the owner, who alone changes it');
    }
    if (password === undefined || owner.password?.equals(password) === true) return;
    const secret = this.#options.ownerSecret?.();
    if (secret === undefined) {
      throw new AccountError('ReadOnly', 'the password stands in a Secret of the owner, who alone changes it');
    }
    if (password.length === 0 || password.length > MAX_OWNER_PASSWORD) {
      throw new AccountError('Invalid', `the password of the owner has 1 to ${MAX_OWNER_PASSWORD} bytes`);
    }
    await secret.changePassword(password);
    if (this.#owner === owner) this.#owner = { ...owner, password };
  }
}

/** It has to fit IPMI, or the BMC would not be served any more. */
const MAX_OWNER_PASSWORD = IPMI_CREDENTIAL_LIMITS.password;

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
