export { PAYLOAD_SIZE } from './activation.ts';
export { SerialOverLan } from './serial-over-lan.ts';
export { SolConfiguration } from './sol-configuration.ts';
export type { SolParameters } from './sol-configuration.ts';
