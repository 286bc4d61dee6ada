export { credentialsOf, type CredentialsReading } from './credentials.ts';
export { IpmiService, type IpmiServiceOptions, type IpmiWish } from './ipmi-service.ts';
