export type * from './lease.ts';
export type * from './observer.ts';
export type * from './server-contract.ts';
