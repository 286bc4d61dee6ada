export { deviceInfoOf } from './device-info.ts';
export { IpmiService, type IpmiWish } from './ipmi-service.ts';
export { observeIpmi } from './observe-ipmi.ts';
