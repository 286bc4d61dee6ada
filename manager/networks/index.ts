export * from './caches.ts';
export * from './controllers.ts';
export { networksServedBy } from './other-controller.ts';
export { podIpamOf, vlanOf, wireOf } from './wire.ts';
