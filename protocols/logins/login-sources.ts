import { RecentMap } from './recent-map.ts';

/** Sources that are remembered; those that were used longest ago are forgotten first. */
const MAX_SOURCES = 256;
/** Users of one that are remembered: what counts is whether it is more than one. */
const MAX_USERS = 16;
/** ms for which a source counts as one of good log-ins. */
const GOOD_FOR = 60 * 60_000;

interface Source<User> {
  lastSuccess: number;
  readonly users: Set<User>;
}

/** What is known of where log-ins come from. Guards may share it. */
export class LoginSources<User> {
  readonly #sources = new RecentMap<string, Source<User>>(MAX_SOURCES);

  tried(source: string, user: User): void {
    const { users } = this.#use(source);
    if (users.size < MAX_USERS) users.add(user);
  }

  succeeded(source: string, now: number): void {
    this.#use(source).lastSuccess = now;
  }

  /** Somebody has logged in from there lately. */
  isGood(source: string, now: number): boolean {
    return now - (this.#sources.get(source)?.lastSuccess ?? -Infinity) <= GOOD_FOR;
  }

  /** How many users have tried from there, as far as that is counted. */
  users(source: string): number {
    return this.#sources.get(source)?.users.size ?? 0;
  }

  #use(source: string): Source<User> {
    return this.#sources.use(source, () => ({ lastSuccess: -Infinity, users: new Set() }));
  }
}
