export { startServices, type BindFailure, type Services, type ServicesOptions } from './start-services.ts';
