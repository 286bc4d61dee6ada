import { loginSource, LoginSources, RecentMap } from './login-sources.ts';

/** The lockout policy for wrong passwords. */
export interface LockoutPolicy {
  /** Wrong passwords of a user from one source until the user is locked out there; 0: never. */
  threshold: number;
  /** Duration of the lockout. */
  seconds: number;
  /** Seconds for which a wrong password is remembered if no other follows. Default: the duration of the lockout. */
  rememberedFor?: number;
}

/**
 * - `LockedOut`: refuse the attempt, whatever the password.
 * - `Throttled`: retry later; a retransmission is soon enough.
 */
export type Obstacle = 'LockedOut' | 'Throttled';

/** An attempt that was admitted. The caller must report its outcome; only the first report counts. */
export interface LoginAttempt {
  /** Answer a wrong password as if the attempt had been refused for this reason: only the right one goes first. */
  readonly obstacle?: Obstacle | undefined;
  succeeded(): void;
  failed(): void;
  /** The attempt ended for a reason other than the client. */
  withdrawn(): void;
}

/** Options of a {@link LoginGuard} beside its policy. */
interface LoginGuardOptions {
  /** Sources shared with another guard, so that a good log-in there counts here. */
  sources?: LoginSources<number | string>;
  /**
   * Whether attempts of several users make a source count as shared. Default: true. Set it to false for a guard of users that do
   * not exist: counting them would reveal which users exist, or let invented names avoid the lockout.
   */
  countsUsers?: boolean;
}

/** Maximum number of user-source pairs, and of users, that are remembered; the least recently used are forgotten first. */
const MAX_PAIRS = 1024;
const MAX_USERS = 256;
/** ms after which an unfinished attempt counts as failed. ipmitool sends nothing more after a wrong password. */
const OVERDUE = 1_000;
/** Concurrent attempts of a user from one source. Each may be a guess, so sources without good log-ins get fewer. */
const MAX_UNDER_WAY = { good: 64, other: 8 } as const;
/** ms until the next attempt from a shared source; doubles with each failure. */
const FIRST_DELAY = 1_000;
const MAX_DELAY = 8_000;
/**
 * Failures of a user from all sources within `seconds`, as a multiple of the threshold, above which sources without good log-ins
 * are throttled.
 */
const FLOOD = 10;
/** ms between the attempts of these sources together. */
const FLOOD_PACE = 1_000;
/** ms for which a user is known at a source after a good log-in, and wrong passwords in that time until it is not. */
const KNOWN_FOR = 60 * 60_000;
const MAX_GUESSES = 1_000;

const UNCOUNTED: LoginAttempt = { succeeded: () => undefined, failed: () => undefined, withdrawn: () => undefined };

/** State of a user at one source. */
interface Pair<User> {
  readonly user: User;
  failures: number;
  lastFailure: number;
  /** ms until which attempts are refused, and the reason. */
  closedUntil: number;
  obstacle: Obstacle;
  /** ms */
  lastSuccess: number;
  readonly guesses: Bucket;
  /** An array: it is short, and a Set that changes all the time leaves its attempts behind until the next full garbage collection. */
  readonly underWay: Attempt[];
}

/** A leaky bucket of failures. */
interface Bucket {
  level: number;
  at: number;
}

/** State of a user at all sources together. */
interface UserLoad extends Bucket {
  nextAllowed: number;
}

/**
 * Slows down password guessing without harm to other users. Failures count per user and source. At the threshold the user is locked
 * out at that source, unless the source is shared, as behind a node port that hides client addresses: after a recent good log-in,
 * or attempts of several users, attempts are delayed by some seconds instead. A user that has logged in from a source lately is not
 * held back there: a neighbour that guesses its password cannot keep it out. Guesses spread over many sources are throttled
 * together; sources of good log-ins are exempt.
 *
 * The strings of `User` must be short. Memory use is limited to some hundred kilobytes.
 */
export class LoginGuard<User extends number | string = number> {
  /** May be replaced at any time; existing lockouts keep their duration. */
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

  /** Number of remembered user-source pairs. */
  get size(): number {
    return this.#pairs.size;
  }

  /**
   * Admits or refuses an attempt to log in, or to receive data from which a password can be verified.
   *
   * @param user account ID, or a substitute for it
   */
  admit(user: User, address: string, now: number): LoginAttempt | Obstacle {
    if (this.policy.threshold === 0) return UNCOUNTED;
    const source = loginSource(address);
    const pair = this.#pairs.use(pairKey(user, source), () => newPair(user));
    for (const attempt of pair.underWay.filter(({ at }) => now - at > OVERDUE)) attempt.failed();
    this.#sources.tried(source, user);
    const obstacle = now < pair.closedUntil ? pair.obstacle : undefined;
    if (obstacle !== undefined && !isKnown(pair, now)) return obstacle;
    const isGood = this.#sources.isGood(source, now);
    if (pair.underWay.length >= (isGood ? MAX_UNDER_WAY.good : MAX_UNDER_WAY.other)) return 'Throttled';
    if (!isGood && this.#isFlooded(user, now)) return 'Throttled';
    const attempt = new Attempt({ at: now, obstacle, underWay: pair.underWay }, (isGenuine) => {
      if (isGenuine) this.#succeed(pair, source, now);
      else this.#fail(pair, source, attempt);
    });
    pair.underWay.push(attempt);
    return attempt;
  }

  /** The user has proved its identity at the source by other means. */
  remember(user: User, address: string, now: number): void {
    const source = loginSource(address);
    this.#succeed(
      this.#pairs.use(pairKey(user, source), () => newPair(user)),
      source,
      now,
    );
  }

  /** ms that the user has to wait at the source; 0: at most the shared throttle applies. */
  wait(user: User, address: string, now: number): number {
    return Math.max(0, (this.#pairs.get(pairKey(user, loginSource(address)))?.closedUntil ?? 0) - now);
  }

  /** Whether the user is locked out at any source. */
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

  #succeed(pair: Pair<User>, source: string, now: number): void {
    pair.lastSuccess = now;
    this.#sources.succeeded(source, now);
  }

  #fail(pair: Pair<User>, source: string, { at, obstacle }: Attempt): void {
    const { user, guesses } = pair;
    leak(guesses, at, MAX_GUESSES / KNOWN_FOR);
    guesses.level += 1;
    // A refused attempt would not have counted.
    if (obstacle !== undefined) return;
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
    leak(load, now, (FLOOD * threshold) / (seconds * 1000));
    return load;
  }
}

/** @param perMs leaks in a millisecond */
function leak(bucket: Bucket, now: number, perMs: number): void {
  bucket.level = Math.max(0, bucket.level - Math.max(0, now - bucket.at) * perMs);
  bucket.at = Math.max(now, bucket.at);
}

function isKnown({ lastSuccess, guesses }: Pair<unknown>, now: number): boolean {
  leak(guesses, now, MAX_GUESSES / KNOWN_FOR);
  return now - lastSuccess <= KNOWN_FOR && guesses.level < MAX_GUESSES;
}

interface AttemptOptions {
  at: number;
  obstacle: Obstacle | undefined;
  underWay: Attempt[];
}

class Attempt implements LoginAttempt {
  readonly at: number;
  readonly obstacle: Obstacle | undefined;
  readonly #underWay: Attempt[];
  readonly #tell: (isGenuine: boolean) => void;

  constructor({ at, obstacle, underWay }: AttemptOptions, tell: (isGenuine: boolean) => void) {
    this.at = at;
    this.obstacle = obstacle;
    this.#underWay = underWay;
    this.#tell = tell;
  }

  succeeded(): void {
    this.#end();
    // Also for an overdue attempt: the source has proved that it knows the password.
    this.#tell(true);
  }

  failed(): void {
    if (this.#end()) this.#tell(false);
  }

  withdrawn(): void {
    this.#end();
  }

  /** Whether it was under way. */
  #end(): boolean {
    const index = this.#underWay.indexOf(this);
    if (index >= 0) this.#underWay.splice(index, 1);
    return index >= 0;
  }
}

function pairKey(user: number | string, source: string): string {
  return `${user} ${source}`;
}

function newPair<User>(user: User): Pair<User> {
  return {
    ...{ user, failures: 0, lastFailure: 0, closedUntil: 0, obstacle: 'LockedOut', lastSuccess: -Infinity },
    ...{ guesses: { level: 0, at: 0 }, underWay: [] },
  };
}
