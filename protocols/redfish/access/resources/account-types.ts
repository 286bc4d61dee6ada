import type { Account } from '../../../accounts.ts';
import type { ManagerNetwork } from '../../options.ts';

type AccountType = 'Redfish' | 'IPMI';

/** Longest name and password that IPMI 2.0 carries, in bytes. */
const MAX_IPMI_NAME = 16;
const MAX_IPMI_PASSWORD = 20;

/** By which protocols people may log in to the BMC. */
export function supportedAccountTypes({ ipmiPort }: Pick<ManagerNetwork, 'ipmiPort'>): AccountType[] {
  return ipmiPort === undefined ? ['Redfish'] : ['Redfish', 'IPMI'];
}

/** By which of them an account may. */
export function accountTypes(account: Account, network: Pick<ManagerNetwork, 'ipmiPort'>): AccountType[] {
  return account.ipmiMessaging && fitsIpmi(account) ? supportedAccountTypes(network) : ['Redfish'];
}

export function fitsIpmi({ name, password }: Pick<Account, 'name' | 'password'>): boolean {
  return Buffer.byteLength(name) <= MAX_IPMI_NAME && (password === undefined || password.length <= MAX_IPMI_PASSWORD);
}
