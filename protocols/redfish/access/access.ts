import type { Caller } from '../caller.ts';
import type { Logins, SessionRegister } from '../context.ts';
import type { RedfishOptions } from '../options.ts';
import { mustChangePassword } from './authentication/must-change-password.ts';
import { Authenticator, type CredentialHeaders } from './authentication/authenticator.ts';
import { GuardedLogins } from './authentication/guarded-logins.ts';
import { StoredSessions } from './sessions/stored-sessions.ts';

/** Authentication of requests. */
export interface Access {
  readonly sessions: SessionRegister;
  readonly logins: Logins;
  /**
   * The caller identified by the request headers.
   *
   * @throws RedfishError 401; 429 after too many wrong passwords from the source
   */
  authenticate(headers: CredentialHeaders, address: string): Caller;
  close(): void;
}

export function createAccess(options: RedfishOptions): Access {
  const sessions = new StoredSessions(options);
  const logins = new GuardedLogins(options);
  const authenticator = new Authenticator({
    ...{ sessions, logins, observer: options.observer, now: options.now },
    mustChangePassword: (account) => mustChangePassword(options.state.current(), account),
  });
  return {
    sessions,
    logins,
    authenticate: (headers, address) => authenticator.authenticate(headers, address),
    close: () => {
      sessions.close();
    },
  };
}
