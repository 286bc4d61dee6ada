import { type Account, DEFAULT_MIN_PASSWORD, type Role } from '../../accounts.ts';
import type { ManagerNetwork } from '../options.ts';
import type { Rule } from '../rules.ts';
import type { RedfishState } from '../state.ts';

/** The roles of DSP0266 §13.2.8. They are the only ones and cannot be changed. */
export const PREDEFINED_ROLES: readonly Role[] = ['Administrator', 'Operator', 'ReadOnly'];

/** The maximum length of IPMI passwords. */
const MAX_MIN_PASSWORD = 20;
export const MIN_PASSWORD_RULE: Rule = { kind: 'number', least: 1, most: MAX_MIN_PASSWORD };

/** Minimum length of new passwords, which clients can change in AccountService. The owner's Secret may have a shorter one. */
export function minPasswordLength({ settings }: RedfishState): number {
  return settings?.minPasswordLength ?? DEFAULT_MIN_PASSWORD;
}

/** IPMI allows shorter names and passwords; longer ones are for Redfish only. */
export const MAX_PASSWORD = 128;
const MAX_NAME = 64;
/** No colon: it ends the user name in HTTP Basic authentication. */
const NAME = /^[^:\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]*$/u;

/** The writable properties of ManagerAccount. @param isNew whether properties that a new account needs are required */
export function accountRules(state: RedfishState, isNew: boolean): Record<string, Rule> {
  const [minLength, isRequired] = [minPasswordLength(state), isNew];
  return {
    UserName: { kind: 'text', minLength: 1, maxLength: MAX_NAME, pattern: NAME, isRequired },
    Password: { kind: 'text', minLength, maxLength: MAX_PASSWORD, isSecret: true, isRequired },
    RoleId: { kind: 'word', words: PREDEFINED_ROLES, isRequired },
    Enabled: { kind: 'flag' },
    PasswordChangeRequired: { kind: 'flag' },
    AccountTypes: { kind: 'list', maxItems: 2, items: { kind: 'word', words: ['Redfish', 'IPMI'] } },
  };
}

type AccountType = 'Redfish' | 'IPMI';

/** Maximum length of a name in IPMI 2.0, in bytes. */
const MAX_IPMI_NAME = 16;
const MAX_IPMI_PASSWORD = 20;

/** The account types that the BMC supports. */
export function supportedAccountTypes({ ipmiPort }: Pick<ManagerNetwork, 'ipmiPort'>): AccountType[] {
  return ipmiPort === undefined ? ['Redfish'] : ['Redfish', 'IPMI'];
}

/** The account types of an account. */
export function accountTypes(account: Account, network: Pick<ManagerNetwork, 'ipmiPort'>): AccountType[] {
  return account.ipmiMessaging && fitsIpmi(account) ? supportedAccountTypes(network) : ['Redfish'];
}

export function fitsIpmi({ name, password }: Pick<Account, 'name' | 'password'>): boolean {
  return Buffer.byteLength(name) <= MAX_IPMI_NAME && (password === undefined || password.length <= MAX_IPMI_PASSWORD);
}
