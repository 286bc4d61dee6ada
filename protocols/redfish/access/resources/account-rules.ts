import type { Rule } from '../../rules.ts';
import { PREDEFINED_ROLES } from './roles.ts';

export const MIN_PASSWORD = 1;
/** IPMI allows shorter names and passwords; longer ones are for Redfish only. */
export const MAX_PASSWORD = 128;
const MAX_NAME = 64;
/** No colon: it ends the user name in HTTP Basic authentication. */
const NAME = /^[^:\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]*$/u;

/** The writable properties of ManagerAccount. */
export const ACCOUNT_RULES = {
  UserName: { kind: 'text', minLength: 1, maxLength: MAX_NAME, pattern: NAME },
  Password: { kind: 'text', minLength: MIN_PASSWORD, maxLength: MAX_PASSWORD, isSecret: true },
  RoleId: { kind: 'word', words: PREDEFINED_ROLES },
  Enabled: { kind: 'flag' },
  PasswordChangeRequired: { kind: 'flag' },
  AccountTypes: { kind: 'list', maxItems: 2, items: { kind: 'word', words: ['Redfish', 'IPMI'] } },
} as const satisfies Record<string, Rule>;
