export * from './address-space.ts';
export * from './standing.ts';
