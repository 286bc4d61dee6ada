export { ipPoolControllers, type IPPoolControllerOptions } from './controller.ts';
export { type ResolveName, resolveIpv4 } from './ntp-names.ts';
