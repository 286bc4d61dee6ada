export * from './ipam.ts';
export type { Holder } from './lease-draft.ts';
export * from './newest.ts';
export * from './pool-addresses.ts';
export type { Reservation } from './reservations.ts';
