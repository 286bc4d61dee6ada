export { CERTIFICATES_SECRET, keptCertificates } from './certificates.ts';
export type { Keyring } from './keyring.ts';
