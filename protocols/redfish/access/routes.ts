import type { RedfishContext } from '../context.ts';
import type { Route } from '../resource.ts';
import { ACCOUNT_SERVICE, ACCOUNTS, ROLES, SESSION_SERVICE, SESSIONS } from '../uris.ts';
import { accountCollection } from './resources/account-collection.ts';
import { AccountEditor } from './resources/account-editor.ts';
import { accountService } from './resources/account-service.ts';
import { managerAccount } from './resources/manager-account.ts';
import { role, roleCollection } from './resources/roles.ts';
import { sessionCollection } from './resources/session-collection.ts';
import { sessionService } from './resources/session-service.ts';
import { session } from './resources/session.ts';

/** SessionService, AccountService and the resources below them. */
export function accessRoutes(context: RedfishContext): Route[] {
  const editor = new AccountEditor(context);
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
