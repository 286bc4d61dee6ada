export * from './caches.ts';
export * from './controllers.ts';
