import { hash, timingSafeEqual } from 'node:crypto';
import type { Account } from '../../accounts.ts';
import { LoginGuard, LoginSources } from '../../logins/index.ts';
import type { Requester } from '../../machine/index.ts';
import type { Lockout, Logins } from '../context.ts';
import type { RedfishOptions } from '../options.ts';
import type { RedfishState } from '../state.ts';
import { tooManyWrong, unauthorized } from './authenticator.ts';

/** Maximum length of a user name in audit records; clients choose it. */
const MAX_SHOWN_NAME = 64;

type LoginOptions = Pick<RedfishOptions, 'accounts' | 'state' | 'lockout' | 'observer' | 'random' | 'now'>;

/**
 * Log-ins by user name and password, protected against guessing. Unknown users have a guard of their own with the same behaviour,
 * so that responses do not reveal which users exist, and invented names use no capacity of real users.
 */
export class GuardedLogins implements Logins {
  readonly #options: LoginOptions;
  readonly #passwords: PasswordCheck;
  readonly #guard: LoginGuard<string>;
  readonly #strangers: LoginGuard<string>;

  constructor(options: LoginOptions) {
    this.#options = options;
    this.#passwords = new PasswordCheck(options.random(32));
    const shared = { sources: new LoginSources<number | string>(), countsUsers: false };
    this.#guard = new LoginGuard(policyOf(this.lockout), shared);
    this.#strangers = new LoginGuard(policyOf(this.lockout), shared);
  }

  get lockout(): Lockout {
    const own = this.#options.lockout();
    const set = this.#options.state.current().settings;
    const seconds = set?.accountLockoutDuration ?? own.seconds;
    return {
      threshold: set?.accountLockoutThreshold ?? own.threshold,
      seconds,
      countedFor: Math.min(set?.accountLockoutCounterResetAfter ?? seconds, seconds),
    };
  }

  logIn(userName: string, password: Buffer, address: string): Account {
    const requester: Requester = { protocol: 'Redfish', user: shown(userName), address };
    const { accounts, now, observer } = this.#options;
    const account = accounts.list().find(({ name }) => name === userName);
    const stranger = hash('sha256', userName);
    const [guard, user] = account === undefined ? [this.#strangers, stranger] : [this.#guard, String(account.id)];
    guard.policy = policyOf(this.lockout);
    const at = now();
    const attempt = guard.admit(user, address, at);
    // Always compare, so that the response time does not depend on the account.
    const isRight = this.#passwords.isRight(account, password);
    if (attempt === 'Throttled') throw tooManyWrong(guard.wait(user, address, at));
    if (attempt === 'LockedOut') {
      observer.loginFailed(requester, account === undefined ? 'UnknownUser' : 'LockedOut');
      throw unauthorized();
    }
    if (account === undefined || !isRight) {
      attempt.failed();
      observer.loginFailed(requester, account === undefined ? 'UnknownUser' : 'WrongPassword');
      throw attempt.obstacle === 'Throttled' ? tooManyWrong(guard.wait(user, address, at)) : unauthorized();
    }
    if (!mayLogIn(account)) {
      attempt.withdrawn();
      observer.loginFailed(requester, 'Refused');
      throw unauthorized();
    }
    attempt.succeeded();
    return account;
  }

  remember(account: number, address: string): void {
    this.#guard.remember(String(account), address, this.#options.now());
  }

  isLockedOut(account: number): boolean {
    return this.#guard.isLockedOut(String(account), this.#options.now());
  }

  unlock(account: number): void {
    this.#guard.unlock(String(account));
  }
}

function policyOf({ threshold, seconds, countedFor }: Lockout): LoginGuard['policy'] {
  return { threshold: seconds === 0 ? 0 : threshold, seconds, rememberedFor: countedFor };
}

function shown(userName: string): string {
  return userName.slice(0, MAX_SHOWN_NAME).replace(/[^\P{C} ]/gu, '?');
}

/** Compares passwords in constant time, whether the account exists or not. */
class PasswordCheck {
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

/** Whether an account can be used to log in. */
export function mayLogIn({ enabled, role, password }: Account): boolean {
  return enabled && role !== 'NoAccess' && password !== undefined && password.length > 0;
}

/** Whether an account must change its password before anything else. */
export function mustChangePassword({ settings }: RedfishState, account: number): boolean {
  return settings?.passwordChangeRequired?.includes(account) ?? false;
}
