export type { AccountStore, OwnerSecret } from './account-store.ts';
export { BmcAccounts } from './bmc-accounts.ts';
export { credentialsOf, type Credentials } from './credentials.ts';
