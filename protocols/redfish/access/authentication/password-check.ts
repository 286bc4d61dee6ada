import { hash, timingSafeEqual } from 'node:crypto';
import type { Account } from '../../../accounts.ts';

/** Compares passwords in constant time, whether the account exists or not. */
export class PasswordCheck {
  /** Accounts are immutable, so a digest is valid for the life of its account object. */
  readonly #digests = new WeakMap<Account, Buffer>();
  /** Digest that matches no password. */
  readonly #none: Buffer;

  /** @param random unpredictable bytes */
  constructor(random: Buffer) {
    this.#none = digestOf(random);
  }

  /** Rejects empty passwords and accounts without a password: scanners try these first. */
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
