export { advanced, announced, bundleOf, dueStep, type Rotation, type Terms } from './ca-rotation.ts';
export { Authority, CERTIFICATE_LIFETIME } from './authority.ts';
export {
  fits,
  isIssuedFor,
  isSignedBy,
  plainName,
  timeLeft,
  timeUntilValid,
  type Issuer,
  type KeyPair,
  makeAuthority,
  makeServerCertificate,
} from './certificates.ts';
export { isPermitted, permittedDomains } from './name-constraints.ts';
export { KeptSecret } from './kept-secret.ts';
export { dataOf, pairIn, rotationIn, rotationTexts, type RotationKeys } from './ca-rotation-secret.ts';
