export { Tokens, type TokensOptions } from './tokens.ts';
export type { User } from './user.ts';
export { userInfo } from './user-info.ts';
