import { type Caller, type Created, type Resource, collection } from '../resource.ts';
import { dateTime, type JsonObject } from '../json.ts';
import { ACCOUNTS, link, SESSIONS } from '../uris.ts';
import type { RedfishContext } from '../context.ts';
import { base } from '../messages.ts';
import type { OpenConsole } from '../consoles/console-register.ts';
import type { ObjectRule } from '../rules.ts';
import type { StoredSession } from '../state.ts';
import { mustChangePassword } from './guarded-logins.ts';

/** Limits of the schema, in seconds. */
const TIMEOUT = { least: 30, most: 86_400 };

export function sessionService({ options, sessions }: RedfishContext): Resource {
  return {
    type: 'SessionService.v1_2_0.SessionService',
    read: () => ({
      Id: 'SessionService',
      Name: 'Session Service',
      Description: 'Log-ins by token',
      Status: { State: 'Enabled', Health: 'OK' },
      ServiceEnabled: true,
      SessionTimeout: sessions.timeout,
      Sessions: link(SESSIONS),
    }),
    patch: {
      rules: { kind: 'object', properties: { SessionTimeout: { kind: 'number', ...TIMEOUT } } },
      apply: async ({ SessionTimeout }, { requester }) => {
        if (typeof SessionTimeout !== 'number' || SessionTimeout === sessions.timeout) return undefined;
        await options.state.change(({ settings }) => ({ settings: { ...settings, sessionTimeout: SessionTimeout } }));
        options.observer.audited(requester, `sessions now end after ${SessionTimeout} s without use`);
        return undefined;
      },
    },
  };
}

/** Longer than any valid name or password. */
const MAX_CREDENTIAL = 256;
const MAX_CONTEXT = 256;

const RULES: ObjectRule = {
  kind: 'object',
  properties: {
    UserName: { kind: 'text', maxLength: MAX_CREDENTIAL, isRequired: true },
    Password: { kind: 'text', maxLength: MAX_CREDENTIAL, isRequired: true, isSecret: true },
    Context: { kind: 'text', maxLength: MAX_CONTEXT },
  },
};

export function sessionCollection(context: RedfishContext): Resource {
  const members = () => [
    ...context.sessions.list().map((session) => ({
      uri: `${SESSIONS}/${session.id}`,
      resource: sessionResource(context, session),
    })),
    ...context.consoles.list().map((console) => ({
      uri: `${SESSIONS}/${console.id}`,
      resource: consoleResource(context, console),
    })),
  ];
  return {
    ...collection('SessionCollection', 'Sessions', members),
    create: { isOpen: true, rules: RULES, apply: (properties, caller) => logIn(context, properties, caller) },
  };
}

/** The request may already be authenticated; only the credentials in the body count. */
async function logIn(
  { options, sessions, logins }: RedfishContext,
  { UserName, Password, Context }: JsonObject,
  { requester: { address } }: Caller,
): Promise<Created> {
  const account = logins.logIn(textOf(UserName), Buffer.from(textOf(Password)), address);
  const { session, token } = await sessions.open(account, address, typeof Context === 'string' ? Context : undefined);
  options.observer.loggedIn({ protocol: 'Redfish', user: account.name, address });
  const mustChange = mustChangePassword(options.state.current(), account.id);
  return {
    uri: `${SESSIONS}/${session.id}`,
    headers: { 'X-Auth-Token': token },
    ...(mustChange && { messages: [base('PasswordChangeRequired', [`${ACCOUNTS}/${account.id}`])] }),
  };
}

/** The rules accept text only. */
function textOf(value: JsonObject[string]): string {
  return typeof value === 'string' ? value : '';
}

/** The session with this ID; undefined if it does not exist. */
export function session(context: RedfishContext, id: string): Resource | undefined {
  const found = context.sessions.find(id);
  if (found !== undefined) return sessionResource(context, found);
  const console = context.consoles.find(id);
  return console && consoleResource(context, console);
}

const SESSION_TYPE = 'Session.v1_8_0.Session';

function sessionResource({ options, sessions }: RedfishContext, found: StoredSession): Resource {
  const { id, userName, address, context, createdAt } = found;
  return {
    type: SESSION_TYPE,
    read: () => {
      const role = options.accounts.list().find((account) => account.id === found.account)?.role;
      return {
        Id: id,
        Name: 'User Session',
        Description: `Session of ${userName}`,
        UserName: userName,
        Password: null,
        SessionType: 'Redfish',
        ClientOriginIPAddress: address,
        CreatedTime: dateTime(createdAt),
        Context: context ?? null,
        Roles: role === undefined ? [] : [role],
      };
    },
    isOwn: ({ account }) => account.id === found.account,
    delete: async ({ account, requester }) => {
      await sessions.end(id);
      if (account.id !== found.account)
        options.observer.audited(requester, `the session ${id} of ${userName} was ended`);
    },
  };
}

const CONSOLE_NAMES = { HostConsole: 'Serial Console Session', KVMIP: 'Screen Session' } as const;

/** A console that a client has open. */
function consoleResource({ options }: RedfishContext, console: OpenConsole): Resource {
  const { id, kind, account, requester, openedAt } = console;
  return {
    type: SESSION_TYPE,
    read: () => ({
      Id: id,
      Name: CONSOLE_NAMES[kind],
      Description: `Console of ${requester.user}`,
      UserName: requester.user,
      Password: null,
      SessionType: kind,
      ClientOriginIPAddress: requester.address,
      CreatedTime: dateTime(openedAt),
      Context: null,
      Roles: [account.role],
    }),
    isOwn: (caller) => caller.account.id === account.id,
    delete: (caller) => {
      const by = caller.requester;
      console.end('EndedByUser', `${by.user} has ended this console`);
      if (caller.account.id !== account.id)
        options.observer.audited(by, `the console ${id} of ${requester.user} was ended`);
    },
  };
}
