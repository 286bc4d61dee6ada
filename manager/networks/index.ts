export * from './caches.ts';
export * from './controllers.ts';
export { podIpamOf, vlanOf, wireOf } from './wire.ts';
