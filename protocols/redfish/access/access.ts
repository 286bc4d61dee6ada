import type { Caller } from '../caller.ts';
import type { Logins, SessionRegister } from '../context.ts';
import type { RedfishOptions } from '../options.ts';
import { mustChangePassword } from './authentication/must-change-password.ts';
import { Authenticator, type CredentialHeaders } from './authentication/authenticator.ts';
import { GuardedLogins } from './authentication/guarded-logins.ts';
import { StoredSessions } from './sessions/stored-sessions.ts';

/** Who gets in. */
export interface Access {
  readonly sessions: SessionRegister;
  readonly logins: Logins;
  /**
   * Who sends a request with these headers.
   *
   * @throws RedfishError 401; 429 where the source has sent too many wrong passwords
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
