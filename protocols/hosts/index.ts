export { alwaysTo } from './always-to.ts';
export { boundedLookup, UnfinishedLookup } from './bounded-lookup.ts';
export type { HostDependencies } from './host-dependencies.ts';
export { evaluateHost, type HostRefusal } from './evaluate-host.ts';
