import { hash, timingSafeEqual } from 'node:crypto';
import type { Account } from '../../../accounts.ts';

/** Compares passwords in a time that tells neither where they differ nor whether the account exists. */
export class PasswordCheck {
  /** Accounts are replaced, and not changed, so that a digest holds as long as its account does. */
  readonly #digests = new WeakMap<Account, Buffer>();
  /** What no password has. */
  readonly #none: Buffer;

  /** @param random what nobody can guess */
  constructor(random: Buffer) {
    this.#none = digestOf(random);
  }

  /** Nobody gets in by an empty password, or where none is set: that is what scanners try first. */
  isRight(account: Account | undefined, password: Buffer): boolean {
    const isEqual = timingSafeEqual(digestOf(password), this.#digest(account));
    return isEqual && password.length > 0;
  }

  #digest(account: Account | undefined): Buffer {
    if (account?.password === undefined) return this.#none;
    const known = this.#digests.get(account);
    if (known !== undefined) return known;
    const digest = digestOf(account.password);
    this.#digests.set(account, digest);
    return digest;
  }
}

function digestOf(password: Buffer): Buffer {
  return hash('sha256', password, 'buffer');
}
