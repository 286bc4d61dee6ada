export * from './caches.ts';
export * from './controllers.ts';
export { wireOf } from './wire.ts';
