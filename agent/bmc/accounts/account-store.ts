import type { Account } from '../../../protocols/accounts.ts';

/** Where added accounts are kept. */
export interface AccountStore {
  /** As stored last; the same array until something changes. */
  current(): readonly Account[];
  /**
   * Stores what `apply` makes of the accounts that are stored, and resolves when that is done.
   *
   * @param apply pure; called again where somebody else has written meanwhile; what it throws comes through
   * @throws AccountError `Unavailable`
   */
  change(apply: (stored: readonly Account[]) => readonly Account[]): Promise<void>;
}

/** The Secret of the owner's account, where it was made for the owner and is ours to write. */
export interface OwnerSecret {
  /**
   * Resolves when it is stored. Whoever follows the Secret sees no older one from then on.
   *
   * @throws AccountError `Unavailable`
   */
  changePassword(password: Buffer): Promise<void>;
}
