export * from './ipam.ts';
export * from './newest.ts';
export * from './pool-addresses.ts';
