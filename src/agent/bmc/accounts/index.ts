export { BmcAccounts } from './bmc-accounts.ts';
export { credentialsOf, type Credentials } from './credentials.ts';
