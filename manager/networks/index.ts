export * from './caches.ts';
export * from './controllers.ts';
export { podIpamOf } from './pod-ipam.ts';
export { vlanOf, wireOf } from './wire.ts';
