export { advanced } from './advance.ts';
export { Authority, CERTIFICATE_LIFETIME } from './authority.ts';
export { fits, isIssuedFor, timeLeft, timeUntilValid } from './inspect.ts';
export { KeptSecret } from './kept-secret.ts';
export type { Issuer, KeyPair } from './key-pair.ts';
export { makeAuthority, makeServerCertificate } from './make.ts';
export { dataOf, pairIn } from './secret-texts.ts';
export { rotationIn, rotationTexts, type RotationKeys } from './ca-rotation-secret.ts';
export { announced, bundleOf, dueStep, type Rotation, type Terms } from './ca-rotation.ts';
