import type { Role } from '../../accounts.ts';
import { type Caller, type Resource, collection } from '../resource.ts';
import { ACCOUNTS, link, ROLES } from '../uris.ts';
import type { RedfishContext } from '../context.ts';
import type { JsonObject } from '../json.ts';
import { base, RedfishError } from '../messages.ts';
import { ROLE_PRIVILEGES } from '../privileges.ts';
import type { RedfishSettings } from '../state.ts';
import {
  MAX_PASSWORD,
  MIN_PASSWORD_RULE,
  minPasswordLength,
  PREDEFINED_ROLES,
  supportedAccountTypes,
} from './account-rules.ts';

const MAX_THRESHOLD = 1_000;
/** Seconds: one day. */
const MAX_LOCKOUT = 86_400;

export function accountService(context: RedfishContext): Resource {
  const { options, logins } = context;
  return {
    type: 'AccountService.v1_18_1.AccountService',
    read: () => {
      const { threshold, seconds, countedFor } = logins.lockout;
      return {
        Id: 'AccountService',
        Name: 'Account Service',
        Description: 'Accounts that can log in to this BMC',
        Status: { State: 'Enabled', Health: 'OK' },
        ServiceEnabled: true,
        LocalAccountAuth: 'Enabled',
        HTTPBasicAuth: 'Enabled',
        SupportedAccountTypes: supportedAccountTypes(options.network()),
        MinPasswordLength: minPasswordLength(options.state.current()),
        MaxPasswordLength: MAX_PASSWORD,
        AccountLockoutThreshold: threshold,
        AccountLockoutDuration: seconds,
        AccountLockoutCounterResetAfter: countedFor,
        AccountLockoutCounterResetEnabled: true,
        Accounts: link(ACCOUNTS),
        Roles: link(ROLES),
      };
    },
    patch: {
      rules: {
        kind: 'object',
        properties: {
          AccountLockoutThreshold: { kind: 'number', least: 0, most: MAX_THRESHOLD },
          AccountLockoutDuration: { kind: 'number', least: 0, most: MAX_LOCKOUT },
          AccountLockoutCounterResetAfter: { kind: 'number', least: 0, most: MAX_LOCKOUT },
          MinPasswordLength: MIN_PASSWORD_RULE,
        },
      },
      apply: async (changes, caller) => {
        await change(context, changes, caller);
        return undefined;
      },
    },
  };
}

async function change({ options, logins }: RedfishContext, changes: JsonObject, caller: Caller): Promise<void> {
  const set = settingsOf(changes);
  const { threshold, seconds } = logins.lockout;
  const duration = set.accountLockoutDuration ?? seconds;
  if ((set.accountLockoutCounterResetAfter ?? 0) > duration) throw countsTooLong();
  await options.state.change(({ settings }) => ({ settings: { ...settings, ...set } }));
  const { minPasswordLength: shortest, ...ofLockout } = set;
  if (shortest !== undefined)
    options.observer.audited(caller.requester, `new passwords now need ${shortest} characters`);
  if (Object.keys(ofLockout).length === 0) return;
  const limit = set.accountLockoutThreshold ?? threshold;
  options.observer.audited(
    caller.requester,
    limit === 0 || duration === 0
      ? 'wrong passwords no longer lock out users'
      : `users are now locked out for ${duration} s after ${limit} wrong passwords`,
  );
}

/** Missing properties keep their value or the owner's. */
function settingsOf(changes: JsonObject): RedfishSettings {
  const { AccountLockoutThreshold, AccountLockoutDuration, AccountLockoutCounterResetAfter, MinPasswordLength } =
    changes;
  return {
    ...(typeof AccountLockoutThreshold === 'number' && { accountLockoutThreshold: AccountLockoutThreshold }),
    ...(typeof AccountLockoutDuration === 'number' && { accountLockoutDuration: AccountLockoutDuration }),
    ...(typeof AccountLockoutCounterResetAfter === 'number' && {
      accountLockoutCounterResetAfter: AccountLockoutCounterResetAfter,
    }),
    ...(typeof MinPasswordLength === 'number' && { minPasswordLength: MinPasswordLength }),
  };
}

function countsTooLong(): RedfishError {
  const names = ['AccountLockoutCounterResetAfter', 'AccountLockoutDuration'];
  const pointers = names.map((name) => `#/${name}`);
  return new RedfishError(400, [base('PropertyValueConflict', names, pointers)]);
}

export function roleCollection(): Resource {
  return collection('RoleCollection', 'Roles', () =>
    PREDEFINED_ROLES.map((name) => ({ uri: `${ROLES}/${name}`, resource: roleResource(name) })),
  );
}

/** The role with this ID; undefined if it does not exist. */
export function role(id: string): Resource | undefined {
  const name = PREDEFINED_ROLES.find((known) => known === id);
  return name === undefined ? undefined : roleResource(name);
}

function roleResource(name: Role): Resource {
  return {
    type: 'Role.v1_3_3.Role',
    read: () => ({
      Id: name,
      RoleId: name,
      Name: 'User Role',
      Description: `Privileges of accounts with the role ${name}`,
      IsPredefined: true,
      Restricted: false,
      AssignedPrivileges: ROLE_PRIVILEGES[name],
      OemPrivileges: [],
    }),
  };
}
