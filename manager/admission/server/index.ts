export { AdmissionServer, type Handler, type Phase } from './admission-server.ts';
export type { AdmissionAnswer, AdmissionRequest } from './review.ts';
