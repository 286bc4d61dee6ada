import { hash } from 'node:crypto';
import type { Account } from '../../../accounts.ts';
import { LoginGuard, LoginSources } from '../../../logins/index.ts';
import type { Requester } from '../../../machine/index.ts';
import type { Lockout, Logins } from '../../context.ts';
import type { RedfishOptions } from '../../options.ts';
import { mayLogIn } from './may-log-in.ts';
import { PasswordCheck } from './password-check.ts';
import { tooManyWrong, unauthorized } from './refusals.ts';

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
      throw unauthorized();
    }
    if (!mayLogIn(account)) {
      attempt.withdrawn();
      observer.loginFailed(requester, 'Refused');
      throw unauthorized();
    }
    attempt.succeeded();
    return account;
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
