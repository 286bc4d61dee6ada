import { loginSource } from './login-source.ts';
import { LoginSources } from './login-sources.ts';
import { RecentMap } from './recent-map.ts';

/** What wrong passwords lead to. */
export interface LockoutPolicy {
  /** Wrong passwords of a user from a source until the user is locked out there; 0: never. */
  threshold: number;
  /** How long the user is locked out. */
  seconds: number;
  /** Seconds for which a wrong password is remembered, if no other follows; as long as the lockout where it is left out. */
  rememberedFor?: number;
}

/**
 * - `LockedOut`: refuse it, whatever the password.
 * - `Throttled`: let it come again, a retransmission is soon enough.
 */
export type Obstacle = 'LockedOut' | 'Throttled';

/** One try that was let through; tell what became of it. What is told second does not count. */
export interface LoginAttempt {
  succeeded(): void;
  failed(): void;
  /** Something else than the client ended it. */
  withdrawn(): void;
}

/** What a guard stands in for beside a policy. */
export interface LoginGuardOptions {
  /** Those of another guard, so that a good log-in there counts here. */
  sources?: LoginSources<number | string>;
  /**
   * Several users who have tried make a source count as one that many share. Default: true. To be false where users who do not exist
   * are guarded too: whether they are counted as well would tell who exists, or let whoever makes names up escape the lockout.
   */
  countsUsers?: boolean;
}

/** Users × sources, and users, that are remembered; those that were used longest ago are forgotten first. */
const MAX_PAIRS = 1024;
const MAX_USERS = 256;
/** ms after which an attempt that its client has not gone on with counts as failed. ipmitool goes silent at a wrong password. */
const OVERDUE = 1_000;
/** Attempts of a pair under way at once. Each may be a guess, so that a source without good log-ins has fewer. */
const MAX_UNDER_WAY = { good: 64, other: 8 } as const;
/** ms that the next attempt has to wait where many share a source; doubles with each failure. */
const FIRST_DELAY = 1_000;
const MAX_DELAY = 8_000;
/** Failures of a user from everywhere within `seconds`, in thresholds, beyond which sources without good log-ins are throttled. */
const FLOOD = 10;
/** ms between the attempts that they share then. */
const FLOOD_PACE = 1_000;

const UNCOUNTED: LoginAttempt = { succeeded: () => undefined, failed: () => undefined, withdrawn: () => undefined };

/** A user at a source. */
interface Pair<User> {
  readonly user: User;
  failures: number;
  lastFailure: number;
  /** ms until which nothing is let through, and how that is answered. */
  closedUntil: number;
  obstacle: Obstacle;
  readonly underWay: Set<Attempt>;
}

/** All sources of a user together: a bucket that failures fill and time empties. */
interface UserLoad {
  level: number;
  at: number;
  nextAllowed: number;
}

/**
 * Slows down who guesses passwords, and hits nobody else by it. Failures count per user and source. At the threshold the user is
 * locked out at that source, unless others seem to sit behind the same address, as behind a node port that hides its clients'
 * addresses: where somebody has logged in lately, or several users have tried, attempts have to wait some seconds instead.
 * Guesses that are spread over many sources are throttled together; sources of good log-ins stay open then.
 *
 * Users are told apart by `User`, whose strings have to be short. It never grows beyond some hundred kilobytes.
 */
export class LoginGuard<User extends number | string = number> {
  /** May be replaced at any time; what is closed by then stays closed for as long as was said. */
  policy: LockoutPolicy;
  readonly #pairs = new RecentMap<string, Pair<User>>(MAX_PAIRS);
  readonly #sources: LoginSources<number | string>;
  readonly #countsUsers: boolean;
  readonly #users = new RecentMap<User, UserLoad>(MAX_USERS);

  constructor(policy: LockoutPolicy, { sources = new LoginSources(), countsUsers = true }: LoginGuardOptions = {}) {
    this.policy = policy;
    this.#sources = sources;
    this.#countsUsers = countsUsers;
  }

  /** Pairs that are remembered. */
  get size(): number {
    return this.#pairs.size;
  }

  /**
   * Asks for leave to try a password, or to be shown a proof that tells whether one is right.
   *
   * @param user ID of the account, or what stands for it
   */
  admit(user: User, address: string, now: number): LoginAttempt | Obstacle {
    if (this.policy.threshold === 0) return UNCOUNTED;
    const source = loginSource(address);
    const pair = this.#pairs.use(pairKey(user, source), () => newPair(user));
    for (const attempt of pair.underWay) if (now - attempt.at > OVERDUE) attempt.failed();
    this.#sources.tried(source, user);
    if (now < pair.closedUntil) return pair.obstacle;
    const isGood = this.#sources.isGood(source, now);
    if (pair.underWay.size >= (isGood ? MAX_UNDER_WAY.good : MAX_UNDER_WAY.other)) return 'Throttled';
    if (!isGood && this.#isFlooded(user, now)) return 'Throttled';
    const attempt = new Attempt(now, pair.underWay, (isGenuine) => {
      if (isGenuine) this.#sources.succeeded(source, now);
      else this.#fail(pair, user, source, now);
    });
    pair.underWay.add(attempt);
    return attempt;
  }

  /** ms that the user has to wait at that source; 0: nothing stands in the way but a pace that many share. */
  wait(user: User, address: string, now: number): number {
    return Math.max(0, (this.#pairs.get(pairKey(user, loginSource(address)))?.closedUntil ?? 0) - now);
  }

  /** Whether the user is locked out at some source. */
  isLockedOut(user: User, now: number): boolean {
    for (const pair of this.#pairs.values()) {
      if (pair.user === user && now < pair.closedUntil && pair.obstacle === 'LockedOut') return true;
    }
    return false;
  }

  /** Forgets the user's wrong passwords. */
  unlock(user: User): void {
    for (const pair of this.#pairs.values()) {
      if (pair.user !== user) continue;
      pair.failures = 0;
      pair.closedUntil = 0;
    }
    this.#users.delete(user);
  }

  #fail(pair: Pair<User>, user: User, source: string, at: number): void {
    const { threshold, seconds, rememberedFor = seconds } = this.policy;
    pair.failures = at - pair.lastFailure > rememberedFor * 1000 ? 1 : pair.failures + 1;
    pair.lastFailure = Math.max(at, pair.lastFailure);
    const load = this.#load(user, at);
    load.level += 1;
    const beyond = pair.failures - threshold;
    if (beyond < 0) return;
    const isShared = this.#sources.isGood(source, at) || (this.#countsUsers && this.#sources.users(source) > 1);
    pair.obstacle = isShared ? 'Throttled' : 'LockedOut';
    const delay = isShared ? Math.min(FIRST_DELAY * 2 ** Math.min(beyond, 10), MAX_DELAY) : seconds * 1000;
    pair.closedUntil = Math.max(pair.closedUntil, at + delay);
  }

  #isFlooded(user: User, now: number): boolean {
    const load = this.#load(user, now);
    if (load.level < FLOOD * this.policy.threshold) return false;
    if (now < load.nextAllowed) return true;
    load.nextAllowed = now + FLOOD_PACE;
    return false;
  }

  #load(user: User, now: number): UserLoad {
    const { threshold, seconds } = this.policy;
    const load = this.#users.use(user, () => ({ level: 0, at: now, nextAllowed: 0 }));
    const elapsed = Math.max(0, now - load.at);
    load.level = Math.max(0, load.level - (elapsed * FLOOD * threshold) / (seconds * 1000));
    load.at = Math.max(now, load.at);
    return load;
  }
}

class Attempt implements LoginAttempt {
  readonly at: number;
  readonly #underWay: Set<Attempt>;
  readonly #tell: (isGenuine: boolean) => void;

  constructor(at: number, underWay: Set<Attempt>, tell: (isGenuine: boolean) => void) {
    this.at = at;
    this.#underWay = underWay;
    this.#tell = tell;
  }

  succeeded(): void {
    this.#underWay.delete(this);
    // Also of one that was overdue: its source has shown that it knows the password.
    this.#tell(true);
  }

  failed(): void {
    if (this.#underWay.delete(this)) this.#tell(false);
  }

  withdrawn(): void {
    this.#underWay.delete(this);
  }
}

function pairKey(user: number | string, source: string): string {
  return `${user} ${source}`;
}

function newPair<User>(user: User): Pair<User> {
  return { user, failures: 0, lastFailure: 0, closedUntil: 0, obstacle: 'LockedOut', underWay: new Set() };
}
