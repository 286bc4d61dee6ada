export * from './address-space.ts';
export * from './caches.ts';
export type * from './options.ts';
export * from './standing.ts';
