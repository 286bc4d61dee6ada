import { type Account, OWNER_ACCOUNT } from '../../accounts.ts';
import { type Caller, type Resource, collection } from '../resource.ts';
import { ACCOUNTS, link, ROLES } from '../uris.ts';
import type { RedfishContext } from '../context.ts';
import type { JsonObject } from '../json.ts';
import { base, RedfishError } from '../messages.ts';
import { ROLE_PRIVILEGES } from '../privileges.ts';
import type { AccountEditor } from './account-editor.ts';
import { accountRules, accountTypes } from './account-rules.ts';

export function accountCollection(context: RedfishContext, editor: AccountEditor): Resource {
  const members = () =>
    context.options.accounts.list().map((account) => ({
      uri: `${ACCOUNTS}/${account.id}`,
      resource: accountResource(context, editor, account),
    }));
  return {
    ...collection('ManagerAccountCollection', 'Accounts', members),
    create: {
      rules: { kind: 'object', properties: accountRules(context.options.state.current(), true) },
      apply: async (properties, caller) => ({ uri: `${ACCOUNTS}/${await editor.create(properties, caller)}` }),
    },
  };
}

/** The account with this ID; undefined if it does not exist. */
export function managerAccount(context: RedfishContext, editor: AccountEditor, id: string): Resource | undefined {
  const found = context.options.accounts.list().find((account) => String(account.id) === id);
  return found === undefined ? undefined : accountResource(context, editor, found);
}

function accountResource(context: RedfishContext, editor: AccountEditor, found: Account): Resource {
  const now = (): Account => context.options.accounts.list().find(({ id }) => id === found.id) ?? found;
  const resource: Resource = {
    type: 'ManagerAccount.v1_14_1.ManagerAccount',
    read: () => propertiesOf(context, editor, now()),
    get revision() {
      return editor.revisionOf(now());
    },
    isOwn: ({ account }) => account.id === found.id,
    patch: {
      rules: {
        kind: 'object',
        properties: { ...accountRules(context.options.state.current(), false), Locked: { kind: 'flag' } },
      },
      apply: async (changes, caller) => {
        checkRights(changes, caller);
        checkLocked(context, found.id, changes);
        await editor.change(found.id, changes, caller);
        if (changes['Locked'] === false) context.logins.unlock(found.id);
        return undefined;
      },
    },
  };
  if (found.id === OWNER_ACCOUNT) return resource;
  return Object.assign(resource, { delete: (caller: Caller) => editor.remove(found.id, caller) });
}

function propertiesOf({ options, logins }: RedfishContext, editor: AccountEditor, account: Account): JsonObject {
  const { id, name, role, enabled } = account;
  return {
    Id: String(id),
    Name: 'User Account',
    Description:
      id === OWNER_ACCOUNT ? 'The account of the owner, from the configuration of the BMC' : 'An added account',
    UserName: name,
    Password: null,
    Enabled: enabled,
    Locked: logins.isLockedOut(id),
    PasswordChangeRequired: editor.mustChangePassword(id),
    AccountTypes: accountTypes(account, options.network()),
    // IPMI has accounts without access; Redfish has no such role.
    ...(role === 'NoAccess' ? { Links: {} } : { RoleId: role, Links: { Role: link(`${ROLES}/${role}`) } }),
  };
}

/** Without `ConfigureUsers`, an account can change only its own password; a required password change must come first. */
function checkRights(changes: JsonObject, { account, mustChangePassword }: Caller): void {
  if (mustChangePassword !== true && ROLE_PRIVILEGES[account.role].includes('ConfigureUsers')) return;
  if (Object.keys(changes).some((name) => name !== 'Password')) {
    throw new RedfishError(403, [base('InsufficientPrivilege')]);
  }
}

/** Only the service locks an account; clients can unlock it. */
function checkLocked({ logins }: RedfishContext, account: number, { Locked }: JsonObject): void {
  if (Locked === true && !logins.isLockedOut(account)) {
    throw new RedfishError(400, [base('PropertyValueNotInList', ['true', 'Locked'], ['#/Locked'])]);
  }
}
