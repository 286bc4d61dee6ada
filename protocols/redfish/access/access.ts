import type { Caller, Route } from '../resource.ts';
import type { Logins, RedfishContext, SessionRegister } from '../context.ts';
import type { Account } from '../../accounts.ts';
import type { RedfishOptions } from '../options.ts';
import { ACCOUNT_SERVICE, ACCOUNTS, ROLES, SESSION_SERVICE, SESSIONS } from '../uris.ts';
import { Authenticator, type CredentialHeaders } from './authenticator.ts';
import { GuardedLogins, mayLogIn, mustChangePassword } from './guarded-logins.ts';
import { accountCollection, managerAccount } from './manager-account.ts';
import type { AccountEditor } from './account-editor.ts';
import { accountService, role, roleCollection } from './account-service.ts';
import { session, sessionCollection, sessionService } from './session-service.ts';
import { StoredSessions } from './stored-sessions.ts';

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
  /**
   * Whether a caller is logged in as before, with the same role, and need not change its password first; counts as a use of its
   * session.
   *
   * @param token of the session; undefined: Basic authentication
   */
  isStillIn(caller: Caller, token: string | undefined): boolean;
  close(): void;
}

/** @param onEnd sessions have ended, or an account has changed */
export function createAccess(options: RedfishOptions, onEnd: () => void = () => undefined): Access {
  const sessions = new StoredSessions(options, onEnd);
  const logins = new GuardedLogins(options);
  const authenticator = new Authenticator({
    ...{ sessions, logins, observer: options.observer, now: options.now },
    mustChangePassword: (account) => mustChangePassword(options.state.current(), account),
  });
  return {
    sessions,
    logins,
    authenticate: (headers, address) => authenticator.authenticate(headers, address),
    isStillIn: ({ account, session }, token) => {
      const all = options.accounts.list();
      // As for sessions: while the owner's account cannot be read.
      if (all.length === 0) return true;
      if (mustChangePassword(options.state.current(), account.id)) return false;
      if (token === undefined) return all.some((each) => isSame(each, account));
      const found = sessions.use(token);
      return found !== undefined && found.id === session && found.account.role === account.role;
    },
    close: () => {
      sessions.close();
    },
  };
}

function isSame(account: Account, before: Account): boolean {
  if (account === before) return true;
  const { id, name, role, password } = before;
  const isEqual = account.id === id && account.name === name && account.role === role;
  return isEqual && mayLogIn(account) && password !== undefined && account.password?.equals(password) === true;
}

/** SessionService, AccountService and the resources below them. */
export function accessRoutes(context: RedfishContext, editor: AccountEditor): Route[] {
  return [
    { path: SESSION_SERVICE, find: () => sessionService(context) },
    { path: SESSIONS, find: () => sessionCollection(context) },
    { path: `${SESSIONS}/{session}`, find: ({ session: id = '' }) => session(context, id) },
    { path: ACCOUNT_SERVICE, find: () => accountService(context) },
    { path: ACCOUNTS, find: () => accountCollection(context, editor) },
    { path: `${ACCOUNTS}/{account}`, find: ({ account: id = '' }) => managerAccount(context, editor, id) },
    { path: ROLES, find: roleCollection },
    { path: `${ROLES}/{role}`, find: ({ role: id = '' }) => role(id) },
  ];
}
