export { alwaysTo } from './always-to.ts';
export { boundedLookup, UnfinishedLookup } from './bounded-lookup.ts';
export type { HostSurroundings } from './host-surroundings.ts';
export { judgeHost, type HostRefusal } from './judge-host.ts';
