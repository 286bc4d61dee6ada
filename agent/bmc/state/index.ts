export { BmcState } from './bmc-state.ts';
export { MadeCredentials } from './made-credentials.ts';
