export * from './caches.ts';
export * from './lease-turned.ts';
export type * from './options.ts';
export * from './report.ts';
export * from './retries.ts';
