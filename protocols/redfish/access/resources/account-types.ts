import type { Account } from '../../../accounts.ts';
import type { ManagerNetwork } from '../../options.ts';

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
