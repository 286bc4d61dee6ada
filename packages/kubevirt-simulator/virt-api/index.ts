export type { AdmissionResponse, Webhook } from './admission.ts';
export { startVirtApi } from './virt-api.ts';
export type { GuestRequest } from './guest-requests.ts';
