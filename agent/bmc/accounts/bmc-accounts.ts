import { isDeepStrictEqual } from 'node:util';
import { IPMI_CREDENTIAL_LIMITS } from '../../../api/index.ts';
import {
  type Account,
  type AccountChange,
  AccountError,
  type Accounts,
  NEW_ACCOUNT,
  OWNER_ACCOUNT,
} from '../../../protocols/accounts.ts';
import { applyChange, freeId, soundAccounts } from './apply-change.ts';
import type { Credentials } from './credentials.ts';

export interface BmcAccountsOptions {
  /** Storage of added accounts. Without it, accounts cannot be added. */
  store?: AccountStore;
  /** The Secret of the owner's account. Undefined if the user named the Secret: then the agent does not write it. */
  ownerSecret?: () => OwnerSecret | undefined;
  /** Minimum bytes of a new password. Default: 1. */
  minPassword?: () => number;
}

interface Joined {
  owner: Account | undefined;
  stored: readonly Account[];
  accounts: readonly Account[];
}

const NONE: readonly Account[] = [];

/** The accounts that may log in to one BMC: the account in the owner's Secret, and the accounts that clients added. */
export class BmcAccounts implements Accounts {
  readonly #options: BmcAccountsOptions;
  #owner: Account | undefined;
  /** Last result of {@link list} and its inputs. */
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
    await this.#store.change((stored) => applyChange(stored, id, change, this.#rules(owner)));
  }

  async add(account: AccountChange): Promise<number> {
    const owner = this.#owner;
    if (owner === undefined) throw new AccountError('Unavailable', 'the Secret of the owner cannot be read');
    let id = 0;
    await this.#store.change((stored) => {
      // Choose the ID again on every attempt: another agent may have used the previous one.
      id = freeId(stored);
      return applyChange(stored, id, account, this.#rules(owner));
    });
    return id;
  }

  /** Takes over the credentials of the Secret; undefined: no login is possible. */
  follow(credentials: Credentials | undefined): void {
    const owner = credentials === undefined ? undefined : ownerAccount(credentials);
    if (!isDeepStrictEqual(owner, this.#owner)) this.#owner = owner;
  }

  get #store(): AccountStore {
    const { store } = this.#options;
    if (store === undefined) throw new AccountError('Unavailable', 'accounts cannot be stored');
    return store;
  }

  #rules({ name: owner }: Account): { owner: string; minPassword: number } {
    return { owner, minPassword: this.#options.minPassword?.() ?? 1 };
  }

  /** Writes of the current values are accepted: tools that copy a configuration send them. */
  async #changeOwner(owner: Account, change: AccountChange): Promise<void> {
    const { password, ...others } = change;
    const wanted = { ...owner, ...others };
    if (!isDeepStrictEqual(wanted, owner)) {
      throw new AccountError('ReadOnly', 'the account is in the Secret of the owner, and only the owner changes it');
    }
    if (password === undefined || owner.password?.equals(password) === true) return;
    const secret = this.#options.ownerSecret?.();
    if (secret === undefined) {
      throw new AccountError('ReadOnly', 'the password is in a Secret of the owner, and only the owner changes it');
    }
    const { minPassword } = this.#rules(owner);
    if (password.length < minPassword || password.length > MAX_OWNER_PASSWORD) {
      throw new AccountError('Invalid', `the password of the owner has ${minPassword} to ${MAX_OWNER_PASSWORD} bytes`);
    }
    await secret.changePassword(password);
    if (this.#owner === owner) this.#owner = { ...owner, password };
  }
}

/** The password must fit IPMI; otherwise the BMC could not be served. */
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

/** Storage of the added accounts. */
export interface AccountStore {
  /** The accounts as last stored. The array keeps its identity until a change. */
  current(): readonly Account[];
  /**
   * Applies `apply` to the stored accounts and resolves when the result is stored.
   *
   * @param apply pure; called again after a write conflict; its errors are passed on
   * @throws AccountError `Unavailable`
   */
  change(apply: (stored: readonly Account[]) => readonly Account[]): Promise<void>;
}

/** The Secret of the owner's account, if the manager generated it and the agent may write it. */
export interface OwnerSecret {
  /**
   * Resolves when the password is stored. Readers of the Secret see no older password from then on.
   *
   * @throws AccountError `Unavailable`
   */
  changePassword(password: Buffer): Promise<void>;
}
