export { createAdmission, type Admission } from './admission.ts';
export { CERTIFICATES_SECRET } from './certificates/index.ts';
export { configurationName } from './configurations/index.ts';
export type { AdmissionOptions, Reach } from './options.ts';
