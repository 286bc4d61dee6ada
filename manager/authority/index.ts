export { advanced } from './advance.ts';
export { Authority, CERTIFICATE_LIFETIME } from './authority.ts';
export { fits, isIssuedFor, timeLeft, timeUntilValid } from './inspect.ts';
export { KeptSecret } from './kept-secret.ts';
export type { Issuer, KeyPair } from './key-pair.ts';
export { makeAuthority, makeServerCertificate } from './make.ts';
export { dataOf, pairIn } from './secret-texts.ts';
export { successionIn, successionTexts, type SuccessionKeys } from './succession-secret.ts';
export { announced, bundleOf, dueStep, type Succession, type Terms } from './succession.ts';
