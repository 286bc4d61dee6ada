import type { RedfishContext } from '../../context.ts';
import type { JsonObject } from '../../json.ts';
import { base } from '../../messages/index.ts';
import { collection } from '../../collection.ts';
import type { Caller } from '../../caller.ts';
import type { Created, Resource } from '../../resource.ts';
import type { ObjectRule } from '../../rules.ts';
import { ACCOUNTS, SESSIONS } from '../../uris.ts';
import { mustChangePassword } from '../authentication/must-change-password.ts';
import { sessionResource } from './session.ts';

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
  const members = () =>
    context.sessions.list().map((session) => ({
      uri: `${SESSIONS}/${session.id}`,
      resource: sessionResource(context, session),
    }));
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
