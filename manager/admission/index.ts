export { createAdmission, type Admission } from './admission.ts';
export { CERTIFICATES_SECRET } from './keyring.ts';
export { configurationName } from './configurations.ts';
export type { AdmissionOptions, Reach } from './options.ts';
