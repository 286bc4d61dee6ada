export { CERTIFICATES_SECRET, Certificates } from './certificates.ts';
export { bundleOf, type Keyring } from './keyring.ts';
