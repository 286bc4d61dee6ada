import type { Account } from '../../../protocols/accounts.ts';

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
