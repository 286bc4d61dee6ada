export { CERTIFICATES_SECRET, Certificates } from './certificates.ts';
export type { KeyPair } from './key-pair.ts';
export { bundleOf, type Keyring } from './keyring.ts';
