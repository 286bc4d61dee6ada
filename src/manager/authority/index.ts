export { Authority } from './authority.ts';
export { fits, isIssuedFor, timeLeft } from './inspect.ts';
export type { KeyPair } from './key-pair.ts';
export { makeAuthority, makeServerCertificate } from './make.ts';
