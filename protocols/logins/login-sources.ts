import { RecentMap } from './recent-map.ts';

/** Maximum number of sources; the least recently used are forgotten first. */
const MAX_SOURCES = 256;
/** Maximum number of users per source; only the difference between one and several matters. */
const MAX_USERS = 16;
/** ms for which a source counts as good after a log-in. */
const GOOD_FOR = 60 * 60_000;

interface Source<User> {
  lastSuccess: number;
  readonly users: Set<User>;
}

/** State of the sources of log-ins. Several guards may share it. */
export class LoginSources<User> {
  readonly #sources = new RecentMap<string, Source<User>>(MAX_SOURCES);

  tried(source: string, user: User): void {
    const { users } = this.#use(source);
    if (users.size < MAX_USERS) users.add(user);
  }

  succeeded(source: string, now: number): void {
    this.#use(source).lastSuccess = now;
  }

  /** Whether a user has logged in from this source recently. */
  isGood(source: string, now: number): boolean {
    return now - (this.#sources.get(source)?.lastSuccess ?? -Infinity) <= GOOD_FOR;
  }

  /** Number of users that have tried from this source, up to the limit. */
  users(source: string): number {
    return this.#sources.get(source)?.users.size ?? 0;
  }

  #use(source: string): Source<User> {
    return this.#sources.use(source, () => ({ lastSuccess: -Infinity, users: new Set() }));
  }
}
