export { startServices, type Services, type ServicesOptions } from './start-services.ts';
export type { BindFailure } from './service-proxy.ts';
