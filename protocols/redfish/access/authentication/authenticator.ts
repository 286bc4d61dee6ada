import type { Account } from '../../../accounts.ts';
import { RecentMap } from '../../../logins/index.ts';
import type { Requester } from '../../../machine/index.ts';
import type { Caller } from '../../caller.ts';
import type { Logins } from '../../context.ts';
import type { RedfishObserver } from '../../options.ts';
import type { StoredSessions } from '../sessions/stored-sessions.ts';
import { basicCredentials } from './basic-credentials.ts';
import { unauthorized } from './refusals.ts';

/** Headers in the form of node:http. */
export interface CredentialHeaders {
  readonly authorization?: string | undefined;
  readonly 'x-auth-token'?: string | string[] | undefined;
}

interface AuthenticatorOptions {
  sessions: Pick<StoredSessions, 'use'>;
  logins: Pick<Logins, 'logIn'>;
  /** Whether the account must change its password before anything else. */
  mustChangePassword: (account: number) => boolean;
  observer: Pick<RedfishObserver, 'loggedIn'>;
  now: () => number;
}

/** ms during which further password log-ins of the same user and source are not audited. */
const NEWS_AFTER = 10 * 60_000;
const MAX_KNOWN = 256;

/** Identifies the caller by the request headers: a session token (DSP0266 §13.3.4), or user name and password. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  /** Time of the last audit record of each user and source with Basic authentication. */
  readonly #told = new RecentMap<string, { at: number }>(MAX_KNOWN);

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** @throws RedfishError 401 or 429 */
  authenticate({ authorization, 'x-auth-token': token }: CredentialHeaders, address: string): Caller {
    const found = typeof token === 'string' ? this.#options.sessions.use(token) : undefined;
    if (found !== undefined) {
      return { ...this.#callerOf(found.account, address), session: found.id };
    }
    // A client that sends both may have a session that has ended.
    const credentials = authorization === undefined ? undefined : basicCredentials(authorization);
    if (credentials === undefined) throw unauthorized();
    const account = this.#options.logins.logIn(credentials.userName, credentials.password, address);
    const caller = this.#callerOf(account, address);
    this.#tell(caller.requester);
    return caller;
  }

  #callerOf(account: Account, address: string): Caller {
    return {
      account,
      requester: { protocol: 'Redfish', user: account.name, address },
      ...(this.#options.mustChangePassword(account.id) && { mustChangePassword: true }),
    };
  }

  #tell(requester: Requester): void {
    const now = this.#options.now();
    const told = this.#told.use(`${requester.address} ${requester.user}`, () => ({ at: -Infinity }));
    if (now - told.at < NEWS_AFTER) return;
    told.at = now;
    this.#options.observer.loggedIn(requester);
  }
}
