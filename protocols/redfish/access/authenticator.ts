import { type Account, NEW_ACCOUNT } from '../../accounts.ts';
import { RecentMap } from '../../logins/index.ts';
import type { Requester } from '../../machine/index.ts';
import type { Caller } from '../resource.ts';
import type { Logins } from '../context.ts';
import { base, RedfishError } from '../messages.ts';
import type { RedfishObserver } from '../options.ts';
import type { StoredSessions } from './stored-sessions.ts';

/** Headers in the form of node:http. */
export interface CredentialHeaders {
  readonly authorization?: string | undefined;
  readonly 'x-auth-token'?: string | string[] | undefined;
}

interface AuthenticatorOptions {
  sessions: Pick<StoredSessions, 'use'>;
  logins: Pick<Logins, 'logIn' | 'remember'>;
  /** Whether the account must change its password before anything else. */
  mustChangePassword: (account: number) => boolean;
  observer: Pick<RedfishObserver, 'loggedIn'>;
  now: () => number;
}

/** ms during which further password log-ins of the same user and source are not audited. */
const REPEAT_AFTER = 10 * 60_000;
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
      this.#options.logins.remember(found.account.id, address);
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
    if (now - told.at < REPEAT_AFTER) return;
    told.at = now;
    this.#options.observer.loggedIn(requester);
  }
}

/** A caller that has not logged in and has no privileges. */
export function anonymous(address: string): Caller {
  return { account: { ...NEW_ACCOUNT, id: 0, name: '' }, requester: { protocol: 'Redfish', user: '', address } };
}

const SCHEME = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;
const COLON = 0x3a;

interface BasicCredentials {
  readonly userName: string;
  /** As bytes: the character set is not defined (RFC 7617 §2.1). */
  readonly password: Buffer;
}

/** Parses an `Authorization` header of the Basic scheme (RFC 7617); undefined: another scheme, or malformed. */
export function basicCredentials(header: string): BasicCredentials | undefined {
  const encoded = SCHEME.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const decoded = Buffer.from(encoded, 'base64');
  const colon = decoded.indexOf(COLON);
  if (colon === -1) return undefined;
  return { userName: decoded.toString('utf8', 0, colon), password: decoded.subarray(colon + 1) };
}

/** The request requires a log-in. The error is the same for every reason, so that it reveals nothing. */
export function unauthorized(): RedfishError {
  return new RedfishError(401, [
    {
      ...base('NoValidSession'),
      Resolution:
        'Check user name and password, or log in again.  Several wrong passwords lock the user out for some time.',
    },
  ]);
}

/** @param wait ms until the next attempt makes sense */
export function tooManyWrong(wait: number): RedfishError {
  const seconds = String(Math.max(1, Math.ceil(wait / 1000)));
  return new RedfishError(429, [base('ServiceTemporarilyUnavailable', [seconds])], { 'Retry-After': seconds });
}
