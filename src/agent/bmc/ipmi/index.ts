export { credentialsOf, type CredentialsReading } from './credentials.ts';
export { deviceInfoOf } from './device-info.ts';
export { IpmiService, type IpmiServiceOptions, type IpmiWish } from './ipmi-service.ts';
export { observeIpmi, type ObserveIpmiOptions } from './observe-ipmi.ts';
