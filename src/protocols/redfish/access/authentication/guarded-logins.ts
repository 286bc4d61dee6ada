import type { Account } from '../../../accounts.ts';
import { LoginGuard } from '../../../logins/index.ts';
import type { Requester } from '../../../machine/index.ts';
import type { Lockout, Logins } from '../../context.ts';
import type { RedfishOptions } from '../../options.ts';
import { mayLogIn } from './may-log-in.ts';
import { PasswordCheck } from './password-check.ts';
import { tooManyWrong, unauthorized } from './refusals.ts';

/** Longest part of a user name that is told on: it is the client's to choose. */
const MAX_SHOWN_NAME = 64;

type LoginOptions = Pick<RedfishOptions, 'accounts' | 'state' | 'lockout' | 'observer' | 'random' | 'now'>;

/** Log-ins by user name and password, held back where passwords are guessed. */
export class GuardedLogins implements Logins {
  readonly #options: LoginOptions;
  readonly #passwords: PasswordCheck;
  readonly #guard: LoginGuard;

  constructor(options: LoginOptions) {
    this.#options = options;
    this.#passwords = new PasswordCheck(options.random(32));
    this.#guard = new LoginGuard(policyOf(this.lockout));
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
    if (account === undefined) {
      this.#passwords.isRight(undefined, password);
      observer.loginFailed(requester, 'UnknownUser');
      throw unauthorized();
    }
    this.#guard.policy = policyOf(this.lockout);
    const attempt = this.#guard.admit(account.id, address, now());
    if (attempt === 'Throttled') throw tooManyWrong(this.#guard.wait(account.id, address, now()));
    if (attempt === 'LockedOut') {
      observer.loginFailed(requester, 'LockedOut');
      throw unauthorized();
    }
    if (!this.#passwords.isRight(account, password)) {
      attempt.failed();
      observer.loginFailed(requester, 'WrongPassword');
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
    return this.#guard.isLockedOut(account, this.#options.now());
  }

  unlock(account: number): void {
    this.#guard.unlock(account);
  }
}

function policyOf({ threshold, seconds, countedFor }: Lockout): LoginGuard['policy'] {
  return { threshold: seconds === 0 ? 0 : threshold, seconds, rememberedFor: countedFor };
}

function shown(userName: string): string {
  return userName.slice(0, MAX_SHOWN_NAME).replace(/[^\P{C} ]/gu, '?');
}
