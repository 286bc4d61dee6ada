import type { Account } from '../../accounts.ts';
import type { RedfishOptions } from '../options.ts';
import type { StoredSubscription } from '../state.ts';
import { SUBSCRIPTIONS } from './event-record.ts';

type KeptOptions = Pick<RedfishOptions, 'accounts' | 'state' | 'observer'> & {
  /** These subscriptions ended with their accounts. */
  left: (subscriptions: readonly StoredSubscription[]) => void;
};

/** The stored subscriptions whose accounts exist. A later account with the same ID or name does not inherit them. */
export class KeptSubscriptions {
  readonly #options: KeptOptions;
  /** IDs of subscriptions whose account is gone but which are still stored. Subscription IDs are never reused. */
  readonly #leaving = new Set<string>();
  #isForgetting = false;

  constructor(options: KeptOptions) {
    this.#options = options;
  }

  list(): readonly StoredSubscription[] {
    const accounts = this.#options.accounts.list();
    return this.#stored.filter((one) => !this.#leaving.has(one.id) && hasOwner(one, accounts));
  }

  find(id: string): StoredSubscription | undefined {
    return this.list().find((one) => one.id === id);
  }

  /** Removes subscriptions whose account is gone. Other protocols can delete accounts too, so this runs at every event. */
  sweep(): void {
    const kept = new Set(this.list());
    for (const one of this.#stored) if (!kept.has(one)) this.#leaving.add(one.id);
    if (this.#leaving.size > 0 && !this.#isForgetting) void this.#forget();
  }

  get #stored(): readonly StoredSubscription[] {
    return this.#options.state.current().subscriptions ?? [];
  }

  async #forget(): Promise<void> {
    this.#isForgetting = true;
    const ids = new Set(this.#leaving);
    let gone: readonly StoredSubscription[] = [];
    try {
      await this.#options.state.change(({ subscriptions = [] }) => {
        gone = subscriptions.filter(({ id }) => ids.has(id));
        return gone.length === 0 ? {} : { subscriptions: subscriptions.filter(({ id }) => !ids.has(id)) };
      });
      for (const id of ids) this.#leaving.delete(id);
    } catch (error) {
      // The next event retries it.
      gone = [];
      this.#options.observer.failed(error, 'DELETE', SUBSCRIPTIONS);
    } finally {
      this.#isForgetting = false;
    }
    if (gone.length > 0) this.#options.left(gone);
  }
}

/** Whether a subscription belongs to an account. */
export function isOwnerOf({ account, owner }: StoredSubscription, { id, name }: Account): boolean {
  return account === undefined ? owner === name : account === id;
}

/** Subscriptions are kept while there are no accounts at all, for example while the owner's account cannot be read. */
function hasOwner(subscription: StoredSubscription, accounts: readonly Account[]): boolean {
  return accounts.length === 0 || accounts.some((account) => isOwnerOf(subscription, account));
}
