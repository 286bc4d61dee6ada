export { ipPoolControllers, type IPPoolControllerOptions } from './controller.ts';
export type { ResolveName } from './ntp/ntp-names.ts';
export { resolveIpv4 } from './ntp/resolve-ipv4.ts';
