export { sampleTemplate as sampleDhcpTemplate } from './agents/children/deployment.ts';
export { ipPoolControllers, type IPPoolControllerOptions } from './controller.ts';
export { resolveIpv4 } from './ntp-addresses.ts';
export type { ResolveName } from './ntp-names.ts';
