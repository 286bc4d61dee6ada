import { collection } from '../../collection.ts';
import type { RedfishContext } from '../../context.ts';
import type { Resource } from '../../resource.ts';
import type { ObjectRule } from '../../rules.ts';
import { ACCOUNTS } from '../../uris.ts';
import type { AccountEditor } from './account-editor.ts';
import { ACCOUNT_RULES } from './account-rules.ts';
import { accountResource } from './manager-account.ts';

const RULES: ObjectRule = {
  kind: 'object',
  properties: {
    ...ACCOUNT_RULES,
    UserName: { ...ACCOUNT_RULES.UserName, isRequired: true },
    Password: { ...ACCOUNT_RULES.Password, isRequired: true },
    RoleId: { ...ACCOUNT_RULES.RoleId, isRequired: true },
  },
};

export function accountCollection(context: RedfishContext, editor: AccountEditor): Resource {
  const members = () =>
    context.options.accounts.list().map((account) => ({
      uri: `${ACCOUNTS}/${account.id}`,
      resource: accountResource(context, editor, account),
    }));
  return {
    ...collection('ManagerAccountCollection', 'Accounts', members),
    create: {
      rules: RULES,
      apply: async (properties, caller) => ({ uri: `${ACCOUNTS}/${await editor.create(properties, caller)}` }),
    },
  };
}
