export { advertisedPortOf } from './advertised-port.ts';
export { deviceInfoOf } from './device-info.ts';
export { IpmiService, type IpmiWish } from './ipmi-service.ts';
export { lanAddressOf } from './lan-address.ts';
export { observeIpmi } from './observe-ipmi.ts';
